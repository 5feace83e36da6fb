/** Callers that ask for much and read it slowly, or not at all. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { connectTo } from '../testing/attacks/raw-http.ts'
import { createHttpServer } from './server.ts'

/** Real time: the limit of the server. The readers below are slower by far, or never pause for as long. */
const PROGRESS_WITHIN_MS = 2_000
/** More than the buffers of both ends hold. */
const BODY = Buffer.alloc(16 * 1024 * 1024, 'x')

const server: Server = createHttpServer(() => 'req_1', Number.POSITIVE_INFINITY, {
  progressWithinMs: PROGRESS_WITHIN_MS,
})
server.on('request', (_request, response) => response.end(BODY))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function ask(requests: number) {
  const socket = await connectTo(url)
  socket.on('error', () => {})
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests))
  return socket
}
const connections = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

test('connections whose callers read nothing of their responses are closed, also if they sent many requests', async () => {
  const idle = await Promise.all([ask(1), ask(1), ask(50), ask(50)])
  await expect.poll(connections).toBe(4)
  await expect.poll(connections).toBe(0)
  for (const socket of idle) socket.destroy()
})

test('a caller who reads slowly gets the whole response', { tags: ['long'] }, async () => {
  const socket = await ask(1)
  let bytes = 0
  let pausedMs = 0
  while (bytes < BODY.length) {
    const chunk: Buffer | null = socket.read()
    if (chunk) bytes += chunk.length
    if (socket.readableEnded || socket.destroyed) break
    // Each pause is within the limit, and all of them together are far above it.
    const pauseMs = chunk ? PROGRESS_WITHIN_MS / 80 : 1
    // Real time: each pause is far below the limit of the server.
    await sleep(pauseMs)
    pausedMs += pauseMs
  }
  expect(bytes).toBeGreaterThan(BODY.length)
  expect(pausedMs).toBeGreaterThan(2 * PROGRESS_WITHIN_MS)
  socket.destroy()
})
