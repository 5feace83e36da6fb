/** A proxy between a driver and its provider that breaks the next response. It works with any protocol over HTTP. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The provider gets the request with every fault except `not_reached`. `lost`: the connection ends without a response. `slow`: the
 * response comes after SLOW_MS. `error_500`: a proxy's error page instead of the response. `half`: only half of the response.
 */
export const TRANSPORT_FAULTS = ['lost', 'slow', 'error_500', 'half', 'empty', 'not_reached'] as const
export type TransportFault = (typeof TRANSPORT_FAULTS)[number]

const OF_BODIES: readonly TransportFault[] = ['half', 'empty']

export const SLOW_MS = 900

type Meant = (method: string, path: string, body: string) => boolean

type OwnAnswer = { status: number; headers?: Record<string, string>; body?: string; isMeant?: Meant }

export type FaultProxy = {
  url: string
  /** Applies the fault to the response of the next request, or of the next one for which `isMeant` is true. */
  spoilNext(fault: TransportFault, isMeant?: Meant): void
  /**
   * Never answers the next request for which `isMeant` is true, so that its sender can be killed meanwhile. Resolves when the
   * provider has acted on the request, or at `not_reached` when the request has arrived here.
   */
  hold(fault: 'lost' | 'not_reached', isMeant: Meant): Promise<void>
  /** Delays every request for which `isMeant` is true by `ms` from now on. Null: none. */
  slowDown(slow: { ms: number; isMeant: Meant } | null): void
  /**
   * Answers every request itself from now on, or those for which `isMeant` is true, so that the provider gets none of them. Null: none.
   */
  answerWith(answer: OwnAnswer | null): void
  /** Changes the text of every response from now on. Null: of none. */
  rewrite(change: ((text: string) => string) | null): void
  /** Tells of every request that the provider gets from now on. */
  listen(hear: (method: string, path: string, body: string) => void): void
  /** While it is away, nothing listens at its address: connections are refused. */
  setAway(isAway: boolean): Promise<void>
  /** Returns whether the last fault changed anything. A response without a body cannot be cut in half. */
  hasSpoiled(): boolean
  close(): Promise<void>
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let next: { fault: TransportFault; isMeant: Meant } | null = null
  const holds: { isMeant: Meant; hold: (incoming: IncomingMessage, sent: Buffer) => void }[] = []
  let hasSpoiled = true
  let slow: { ms: number; isMeant: Meant } | null = null
  let own: OwnAnswer | null = null
  let rewriting: ((text: string) => string) | null = null
  let tell: Parameters<FaultProxy['listen']>[0] = () => {}
  const handle = (incoming: IncomingMessage, sent: Buffer, response: ServerResponse) => {
    const { method = '', url = '' } = incoming
    const isIt = (each: { isMeant: Meant } | null) => each?.isMeant(method, url, sent.toString()) ?? false
    if (own?.isMeant?.(method, url, sent.toString()) ?? own !== null)
      return void response.writeHead(own?.status ?? 500, own?.headers).end(own?.body)
    const held = holds.findIndex(isIt)
    if (held >= 0) return holds.splice(held, 1)[0]?.hold(incoming, sent)
    const fault = isIt(next) ? (next?.fault ?? null) : null
    if (fault) next = null
    if (fault === 'not_reached') return void incoming.socket.destroy()
    tell(method, url, sent.toString())
    const waiting = isIt(slow) ? sleep(slow?.ms) : Promise.resolve()
    waiting
      .then(() => forward(target, incoming, sent))
      .then((answer) => {
        if (fault) hasSpoiled = answer.body.length > 0 || !OF_BODIES.includes(fault)
        return pass(rewritten(answer, rewriting), response, fault)
      })
      .catch(() => response.destroy())
  }
  const server = await startServer(handle)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spoilNext(fault, isMeant = () => true) {
      next = { fault, isMeant }
      hasSpoiled = true
    },
    hold(fault, isMeant) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const hold = (incoming: IncomingMessage, sent: Buffer) =>
        fault === 'lost' ? void forward(target, incoming, sent).then(() => resolve(), reject) : resolve()
      holds.push({ isMeant, hold })
      return promise
    },
    slowDown(change) {
      slow = change
    },
    answerWith(answer) {
      own = answer
    },
    rewrite(change) {
      rewriting = change
    },
    listen(hear) {
      tell = hear
    },
    setAway: (isAway) => setAway(server, port, isAway),
    hasSpoiled: () => hasSpoiled,
    close: () => setAway(server, port, true),
  }
}

async function startServer(
  handle: (incoming: IncomingMessage, sent: Buffer, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer((incoming, response) => {
    read(incoming).then(
      (sent) => handle(incoming, sent, response),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function setAway(server: Server, port: number, isAway: boolean): Promise<void> {
  if (isAway === !server.listening) return
  server.closeAllConnections()
  const done = once(server, isAway ? 'close' : 'listening')
  if (isAway) server.close()
  else server.listen(port, '127.0.0.1')
  await done
}

type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }

async function forward(target: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const headers = { ...incoming.headers, 'content-length': String(body.length) }
  const outgoing = send(new URL(incoming.url ?? '/', target), { method: incoming.method ?? 'GET', headers })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await read(answer) }
}

function rewritten(answer: Answer, change: ((text: string) => string) | null): Answer {
  return change ? { ...answer, body: Buffer.from(change(answer.body.toString())) } : answer
}

/** The headers that still hold when the body was changed. */
function withoutLength(headers: Answer['headers']): Answer['headers'] {
  const ofConnection = ['content-length', 'transfer-encoding', 'connection', 'keep-alive']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)))
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function pass(
  { status, headers, body }: Answer,
  response: ServerResponse,
  fault: TransportFault | null,
) {
  if (fault === 'lost') return response.socket?.destroy()
  if (fault === 'slow') await sleep(SLOW_MS)
  if (fault === 'error_500') return response.writeHead(500).end('<h1>Internal Server Error</h1>')
  if (fault === 'half') return response.writeHead(status).end(body.subarray(0, body.length / 2))
  if (fault === 'empty') return response.writeHead(status).end()
  return response.writeHead(status, withoutLength(headers)).end(body)
}
