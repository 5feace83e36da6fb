/** What a client says if Kassa was not reached, in each language: what to check, and whether anything can have been carried out. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_LANGUAGES, type Client } from '../testing/clients/languages.ts'

const servers: Server[] = []
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return (server.address() as AddressInfo).port
}
/** Returns a port on which nobody listens any more. */
async function freedPort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  return port
}
let ports: { freed: number; web: number; other: number }
beforeAll(async () => {
  const page = createHttpServer((_, response) => response.writeHead(405).end('<h1>A page</h1>'))
  // It answers in its own protocol, such as that of a mail server.
  const other = createServer((socket) => socket.on('error', () => {}).end('220 mail.example ready\r\n'))
  ports = { freed: await freedPort(), web: await listen(page), other: await listen(other) }
})
afterAll(() => {
  for (const server of servers) server.close()
})

const NOTHING_SENT = { code: 'not_reached', message: expect.stringContaining('nothing was sent') }
const MAYBE_DONE = { code: 'no_answer', message: expect.stringContaining('did not answer') }
const CASES = [
  ['nobody listens', () => `http://127.0.0.1:${ports.freed}`, NOTHING_SENT, 'its port, that Kassa runs'],
  ['nobody has the name', () => 'https://kassa.invalid', NOTHING_SENT, 'nobody knows a machine of this name'],
  ['the port has no https', () => `https://127.0.0.1:${ports.web}`, NOTHING_SENT, 'its certificate'],
  [
    'the port speaks another protocol',
    () => `http://127.0.0.1:${ports.other}`,
    MAYBE_DONE,
    'may not be Kassa',
  ],
  [
    'another site is there',
    () => `http://127.0.0.1:${ports.web}`,
    { code: 'unexpected_answer', status: 405 },
    'may not be Kassa',
  ],
] as const

describe.each(CLIENT_LANGUAGES)('the client for $name', (language) => {
  if (language.missing) {
    test.skip(`is not run, because this machine has no ${language.missing}`)
    return
  }
  let client: Client
  beforeAll(() => {
    client = language.start()
  })
  afterAll(() => client.close())

  const refund = async (settings: object) => {
    await client.call('openKassa', [], { token: 'ksk_sandbox_x', pauseSeconds: 0.01, ...settings })
    return client.call('refund', ['pay_1', { amountMinor: 100, reason: 'returned' }], { key: 'r-1' })
  }

  test.each(CASES)('says what to check if %s', async (_, url, error, whatToDo) => {
    expect(await refund({ url: url(), tries: 1 })).toMatchObject({
      returned: { ok: false, error: { status: 0, ...error, whatToDo: expect.stringContaining(whatToDo) } },
    })
  })

  test('does not say that nothing was sent if an earlier try was', async () => {
    const server = createServer((socket) => {
      // It has read the request, and is gone before it answers.
      socket.once('data', () => {
        server.close()
        socket.destroy()
      })
      socket.on('error', () => {})
    })
    const url = `http://127.0.0.1:${await listen(server)}`
    expect(await refund({ url, tries: 2 })).toMatchObject({
      returned: { error: { ...MAYBE_DONE, whatToDo: expect.stringContaining('may have been carried out') } },
    })
  })
})
