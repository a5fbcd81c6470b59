-- The key and both windows of its account, as the gateway counts them: one command of Redis a request. Runs in nginx.
local redis = require 'nginx.redis'
local sha256 = require 'nginx.sha256'
local text = require 'nginx.string'

local function answer(status, code)
  ngx.status = status
  ngx.header['Content-Type'] = 'application/json; charset=utf-8'
  ngx.print('{"success":false,"error":{"code":"' .. code .. '"}}')
  return ngx.exit(status)
end

local bearer = ngx.var.http_authorization
if not bearer or bearer:sub(1, 7) ~= 'Bearer ' then return answer(401, 'unauthorized') end
local digest = sha256:new()
digest:update(bearer:sub(8))
local connection = redis:new()
connection:set_timeout(1000)
assert(connection:connect('127.0.0.1', tonumber(ngx.var.redis_port)))
local key = 'bench:nginx:{' .. text.to_hex(digest:final()) .. '}'
local counted, failure = connection:evalsha(ngx.var.script, 3, key, key .. ':minute', key .. ':day')
if not counted then
  ngx.log(ngx.ERR, failure)
  return answer(503, 'unavailable')
end
connection:set_keepalive(60000, 512)
if counted[1] == -1 then return answer(401, 'unauthorized') end
ngx.header['RateLimit-Limit'] = counted[1]
ngx.header['RateLimit-Remaining'] = math.max(0, counted[1] - counted[2])
ngx.header['RateLimit-Reset'] = counted[3]
if counted[2] > counted[1] or counted[4] > counted[5] then return answer(429, 'rate_limited') end
