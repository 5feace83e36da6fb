import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createHttpServer } from './server.ts'
import { expectTimeOut, trickle } from './slow-clients.suite.ts'

/** Real time: the limit of the server, in place of ten and fifteen seconds. Node looks at its connections every two seconds. */
const SERVER_LIMIT_MS = 1_000

test('connections that send one byte a second or nothing are closed, and each is told why', async () => {
  const server = createHttpServer(() => 'req_1', Number.POSITIVE_INFINITY, {
    headWithinMs: SERVER_LIMIT_MS,
    requestWithinMs: SERVER_LIMIT_MS,
  })
  let begun = 0
  server.on('request', () => begun++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n'
  const lines = [
    trickle(url, '', head),
    trickle(url, head, 'X-Slow: 1\r\n'),
    trickle(url, `${head}\r\n`, '{"a":1}'),
  ]
  for (const { answer } of await Promise.all(lines)) expectTimeOut(answer)
  expect(begun).toBe(1)
  server.close()
})
