/** A receiver whose response a test can change, and that counts concurrent deliveries. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Reply = { status: number; headers?: Record<string, string>; afterMs?: number }

export async function startRepliesReceiver() {
  let atOnce = 0
  const receiver = {
    url: '',
    reply: (): Reply => ({ status: 200 }),
    count: 0,
    mostAtOnce: 0,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer(async (request, response) => {
    receiver.count++
    atOnce++
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, atOnce)
    const { status, headers = {}, afterMs } = receiver.reply()
    await request.resume().toArray()
    if (afterMs) await sleep(afterMs)
    atOnce--
    response.writeHead(status, headers).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
  return receiver
}
