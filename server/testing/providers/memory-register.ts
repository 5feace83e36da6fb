/** The simulated cash register with records in memory and its own HTTP server, for tests without a database. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  answerRegisterRequest,
  createSandboxRegister,
  type RegisterStore,
  secretOfRegister,
  type TakenOrder,
} from '../../sandbox/register/register.ts'
import type { Reply } from '../../sandbox/request.ts'

type Line = TakenOrder & { number: number | null }

export async function startMemoryRegister() {
  const lines: Line[] = []
  const registers = { key: Buffer.alloc(32, 7), register: createSandboxRegister(booksOf(lines)) }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', headers, url = '' } = request
    const sent = { method, path: url.replace(/^\/api/, ''), headers, body: Buffer.concat(chunks) }
    const answer: Reply | null = await answerRegisterRequest(registers, sent).catch(() => null)
    if (answer) response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
    else request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretOf: (name: string) => secretOfRegister(registers.key, name),
    /** The numbers that were printed under this reference. */
    printed: (name: string, reference: string): number[] =>
      lines
        .filter((line) => line.register === name && line.reference === reference)
        .flatMap(({ number }) => number ?? []),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function booksOf(lines: Line[]): RegisterStore {
  return {
    async take(order, decide) {
      const own = lines.filter(({ register }) => register === order.register)
      const sold = own.find(({ number, saleNumber }) => `${number}` === order.saleNumber && !saleNumber)
      const returned = own.filter((each) => each.number !== null && each.saleNumber === order.saleNumber)
      const number = decide({
        lastSequence: Math.max(0, ...own.map(({ sequence }) => sequence)),
        lastNumber: Math.max(0, ...own.map((each) => each.number ?? 0)),
        known: own.some(({ reference }) => reference === order.reference),
        sale: sold
          ? {
              amountMinor: sold.amountMinor,
              returnedMinor: returned.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
            }
          : null,
      })
      lines.push({ ...order, number })
    },
    find: async (register, reference) =>
      lines.find((line) => line.register === register && line.reference === reference && line.number !== null)
        ?.number ?? null,
  }
}
