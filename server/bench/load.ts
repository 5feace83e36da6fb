/**
 * Generates the load: N connections, each with one request at a time. It uses plain sockets, because the client runs on the measured
 * machine and should use as little of it as possible.
 */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** A POST with this body, or a GET without one. */
export type Request = { path: string; headers: Record<string, string>; body?: string }

/** How much is measured: a time, or a number of requests. */
export type Amount = { seconds: number; count?: never } | { count: number; seconds?: never }

/** The results of one run of the load. `done`: responses with the expected status. `latenciesMs` are sorted. */
export type LoadResult = { done: number; refused: number; seconds: number; latenciesMs: Float64Array }

export type LoadOptions = {
  /** The connections are spread over these ports. */
  ports: number[]
  connections: number
  amount: Amount
  /** Returns the next request. Each request is sent once. */
  next(): Request
  /** The status of a response that counts as done. */
  expected?: number
  signal: AbortSignal
}

const HEAD_END = '\r\n\r\n'
const CREATED = 201

/** Sends requests until the amount is reached. Waits for the last responses, so that every sent request is counted. */
export async function runLoad({
  ports,
  connections,
  amount,
  next,
  expected = CREATED,
  signal,
}: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = []
  let done = 0
  let refused = 0
  let sentCount = 0
  const started = performance.now()
  const isOver = () =>
    amount.seconds === undefined
      ? sentCount >= amount.count
      : performance.now() >= started + amount.seconds * 1000

  async function keepAsking(_: unknown, index: number): Promise<void> {
    const port = ports[index % ports.length] ?? 0
    let line = await openLine(port, signal)
    try {
      while (!isOver()) {
        sentCount++
        const message = compose(next())
        const sent = performance.now()
        const { status, isLast } = await line.ask(message)
        latencies.push(performance.now() - sent)
        if (status === expected) done++
        else refused++
        if (isLast) line = await openLine(port, signal)
      }
    } finally {
      line.close()
    }
  }

  await Promise.all(Array.from({ length: connections }).map(keepAsking))
  const latenciesMs = Float64Array.from(latencies).sort()
  return { done, refused, seconds: (performance.now() - started) / 1000, latenciesMs }
}

function compose({ path, headers, body }: Request): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}`
  if (body === undefined) return `GET ${head}\r\n`
  const length = Buffer.byteLength(body)
  return `POST ${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
}

type Answer = { status: number; isLast: boolean }
type Line = { ask(message: string): Promise<Answer>; close(): void }

/** One kept-alive connection. It only supports responses with a Content-Length, because these servers send no others. */
async function openLine(port: number, signal: AbortSignal): Promise<Line> {
  const socket: Socket = createConnection({ port, host: '127.0.0.1', noDelay: true, signal })
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<Answer> | undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
    const answer = readAnswer(received)
    if (!answer) return
    received = ''
    waiting?.resolve(answer)
  })
  const lost = (error?: Error) => waiting?.reject(error ?? new Error('The server closed the connection.'))
  socket.on('error', lost)
  socket.on('close', () => lost())
  return {
    ask(message) {
      waiting = Promise.withResolvers<Answer>()
      socket.write(message)
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

/** Returns the response when it is complete. */
function readAnswer(received: string): Answer | null {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return null
  const head = received.slice(0, headEnd)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
  if (received.length < headEnd + HEAD_END.length + length) return null
  const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
  return { status, isLast: /\r\nconnection: close/i.test(head) }
}
