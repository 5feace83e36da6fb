import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { connectTo } from '../testing/attacks/raw-http.ts'
import { connectionsPerAddress, createHttpServer } from './server.ts'

test('the connections of one address are limited, and it can open another after it has closed one', async () => {
  const server = createHttpServer(() => 'req_1', 5)
  server.on('request', (_request, response) => response.end('served')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const held = await Promise.all(Array.from({ length: 5 }, () => connectTo(url)))
  const isServed = async () => {
    const socket = await connectTo(url)
    socket.on('error', () => {})
    const answered = once(socket, 'data').then(
      () => true,
      () => false,
    )
    const closed = once(socket, 'close').then(() => false)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return Promise.race([answered, closed])
  }
  expect(await isServed()).toBe(false)
  held[0]?.destroy()
  await expect.poll(isServed).toBe(true)
  for (const socket of held) socket.destroy()
  server.closeAllConnections()
  server.close()
})

test('behind a trusted proxy, and in a load test, connections are not counted by address', () => {
  expect(connectionsPerAddress(readConfig({}))).toBe(500)
  expect(connectionsPerAddress(readConfig({ TRUST_PROXY: '1' }))).toBe(Number.POSITIVE_INFINITY)
  expect(connectionsPerAddress(readConfig({ RATE_LIMITS: 'off' }))).toBe(Number.POSITIVE_INFINITY)
})
