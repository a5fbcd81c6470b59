#!/bin/bash
# Downloads and unpacks the engines' packages. mmdebstrap calls this for an empty tree when apt has read the lists of packages.
# Nothing is configured: the engines need no more than their files, and configuring takes longer than all the rest.
# Usage: unpack-engines.sh TREE
set -euo pipefail
tree=$1
export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG
engines=(postgresql-18-documentdb rabbitmq-server redis-server)
# What the engines' scripts and settings need. In a complete system these are always there.
base=(base-files bash coreutils dash grep libc-bin mawk sed tzdata util-linux)
# What no engine needs to run: file formats of PostGIS, and tools that install, configure and manage services.
left_out='libgdal[0-9].*|libsfcgal[0-9].*|proj-data|perl|perl-base|libperl[0-9].*|debconf|adduser|passwd|procps|systemd|openssl'
left_out+='|locales|gnupg|gpg|ucf|ssl-cert|logrotate|socat|netbase|readline-common|rabbitmqadmin-ng|sysvinit-utils'
left_out+='|postgresql-common|postgresql-client-common|libpam-modules|libpam-modules-bin|libpam-runtime|openssl-provider-legacy'

# apt takes what is left out for installed, so it leaves out as well what only that needs.
architecture=$(dpkg --print-architecture)
for name in $(apt-cache pkgnames | grep -xE "$left_out"); do
  printf 'Package: %s\nStatus: install ok installed\nVersion: 9999\nArchitecture: %s\n' "$name" "$architecture"
  printf 'Maintainer: none\nDescription: left out\n\n'
done >"$tree/var/lib/dpkg/status"
apt-get -y install --download-only "${engines[@]}" "${base[@]}"
# Large packages first, so that the last one to end is small.
find "$tree/var/cache/apt/archives" -name '*.deb' -printf '%s %p\n' | sort -rn | cut -d' ' -f2 |
  xargs -n1 -P"$(nproc)" bash -o pipefail -c 'dpkg-deb --fsys-tarfile "$1" |
    tar -x -C "$0" --exclude=./usr/share/{doc,info,locale,man} --exclude="./usr/share/postgresql/*/postgis*--*--*.sql"' "$tree"
rm -r "$tree"/var/cache/apt/archives/*.deb "$tree/var/lib/dpkg/status"
# What the packages' own scripts would have made, and where the engines' directories are mounted.
mkdir -p "$tree"/{mnt,srv}
printf 'root:x:0:0::/root:/bin/sh\npostgres:x:102:104::/var/lib/postgresql:/bin/sh\n' >"$tree/etc/passwd"
printf 'root:x:0:\npostgres:x:104:\n' >"$tree/etc/group"
printf 'hosts: files dns\n' >"$tree/etc/nsswitch.conf"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$tree/etc/hosts"
ln -s mawk "$tree/usr/bin/awk"
ln -s postgis-3.control "$tree/usr/share/postgresql/18/extension/postgis.control"
