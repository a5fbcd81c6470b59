/** What is packed has no use for them, and nobody else can resolve `workspace:*`. */
function beforePacking({ devDependencies, ...manifest }) {
  return manifest;
}

module.exports = { hooks: { beforePacking } };
