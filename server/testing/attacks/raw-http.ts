/** Sends raw bytes over a socket, for requests that no client library would send. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

export type RawAnswer = {
  /** 0 if the connection was closed without a response. */
  status: number
  headers: Record<string, string>
  body: string
  ms: number
}

export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** If a test gives no limit, only a request that hangs is ended. On a busy machine an ordinary one took more than 2 s. */
const HANGS_AFTER_MS = 20_000

/** Sends the bytes and waits for the first complete response, or the end of the connection. @throws Error after `withinMs` */
export async function sendRaw(
  url: string,
  bytes: string | Buffer,
  withinMs = HANGS_AFTER_MS,
): Promise<RawAnswer> {
  const started = performance.now()
  const socket = await connectTo(url)
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  let text = ''
  const finish = () => resolve({ ...(readAnswer(text) ?? NO_ANSWER), ms: performance.now() - started })
  const timer = setTimeout(() => reject(new Error(`No answer within ${withinMs} ms`)), withinMs)
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    if (readAnswer(text)) finish()
  })
  // A server that rejects a request may reset the connection if it has not read all bytes.
  socket.on('error', finish)
  socket.on('close', finish)
  socket.write(bytes)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

const NO_ANSWER = { status: 0, headers: {}, body: '' }

/** Returns the response when it is complete. Skips the responses `100 Continue`. */
function readAnswer(received: string): Omit<RawAnswer, 'ms'> | null {
  const text = received.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '')
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [first = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const status = Number(first.split(' ')[1])
  const body = text.slice(headEnd + '\r\n\r\n'.length)
  const length = Number(headers['content-length'] ?? 0)
  if (body.length < length) return null
  return { status, headers, body: Buffer.from(body.slice(0, length), 'latin1').toString('utf8') }
}
