/**
 * Posts events on connections that are kept for a while, for the next events to the same addresses. `undici` needs half the time of
 * Node's own client, and never sends a POST again whose response did not come.
 */
// Only the client of the library: all of it takes 14 MB more, and changes the `fetch` of the process.
import Client from 'undici/lib/dispatcher/client.js'
import type { Address } from './address.ts'
import { type Dialing, dial } from './dial.ts'
import { namesOf, targetOf, type WireAnswer } from './wire.ts'

/** Shorter than the idle timeout of most servers, so that this side closes an idle connection first. */
const IDLE_MS = 4_000
/** For each address. Several shops of one platform may have theirs at the same. */
const IDLE_MAX = 16

/** The end of an exchange's time. `stop` ends what the exchange is doing now. */
export type Limit = { isOver: boolean; stop(): void }

export type Post = {
  /** Checked for this request. */
  addresses: Address[]
  url: URL
  port: number
  headers: Record<string, string>
  body: string | Buffer
  /** The rest of a longer response is not read. */
  bytesMax: number
  limit: Limit
}

/** A connection. `limit`: of the exchange that uses it. */
type KeptConnection = { client: Client; limit: Limit }

let reading: Promise<void> | null = null

/**
 * Lets the event loop read every idle socket once, so that connections that their receivers have closed are dropped. If a reset were
 * noticed only after sending, the receiver might have read the request, so it could not be sent again on another connection.
 * Exchanges that begin in one turn wait together.
 */
function everySocketRead(): Promise<void> {
  reading ??= new Promise((resolve) => {
    setImmediate(() => {
      reading = null
      setImmediate(resolve)
    })
  })
  return reading
}

export type KeptConnections = ReturnType<typeof createKeptConnections>

export function createKeptConnections(dialing: Dialing) {
  const idle = new Map<string, KeptConnection[]>()

  function take(key: string): KeptConnection | undefined {
    const lines = idle.get(key)
    const line = lines?.pop()
    if (lines?.length === 0) idle.delete(key)
    return line
  }
  function keep(key: string, line: KeptConnection): void {
    const lines = idle.get(key) ?? []
    // The receiver may have closed it right after its response.
    if (lines.length >= IDLE_MAX || !line.client.stats.connected) return void line.client.destroy()
    lines.push(line)
    idle.set(key, lines)
  }
  function drop(key: string, line: KeptConnection): void {
    const others = idle.get(key)?.filter((each) => each !== line) ?? []
    if (others.length > 0) idle.set(key, others)
    else idle.delete(key)
  }
  function open(key: string, post: Post): KeptConnection {
    const line: KeptConnection = { client: clientOf(dialing, post, () => line.limit), limit: post.limit }
    // It may have been taken already. Then its client connects again, to the same addresses, before it sends anything.
    line.client.on('disconnect', () => drop(key, line))
    return line
  }

  /** @throws Error if there is no response, or if the time is over */
  return async (post: Post): Promise<WireAnswer> => {
    // A connection always belongs to addresses that were checked for this request.
    const key = `${post.url.origin} ${post.port} ${namesOf(post.addresses)}`
    if (idle.has(key)) await everySocketRead()
    const line = take(key) ?? open(key, post)
    line.limit = post.limit
    try {
      const answer = await send(line.client, post)
      if (answer.cut) void line.client.destroy()
      else keep(key, line)
      return answer
    } catch (error) {
      void line.client.destroy()
      throw error
    }
  }
}

function clientOf(dialing: Dialing, { url, port, addresses }: Post, limitNow: () => Limit): Client {
  return new Client(url.origin, {
    // The limit of the exchange is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    allowH2: false,
    connect(_, done) {
      const waiting = new AbortController()
      stopWith(limitNow(), () => waiting.abort())
      dial(dialing, addresses, targetOf({ url, port }), waiting.signal).then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      )
    },
  })
}

function stopWith(limit: Limit, stop: () => void): void {
  limit.stop = stop
  if (limit.isOver) stop()
}

function send(client: Client, { url, headers, body, bytesMax, limit }: Post): Promise<WireAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
  const answer: Pick<WireAnswer, 'statusCode' | 'headers'> = { statusCode: 0, headers: {} }
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = () =>
    resolve({ ...answer, body: Buffer.concat(chunks).subarray(0, bytesMax), cut: bytes > bytesMax })
  const request = { method: 'POST', path: url.pathname + url.search, headers, body } as const
  client.dispatch(request, {
    onRequestStart: (controller) => stopWith(limit, () => controller.abort(new Error('the time is over'))),
    onResponseStart: (_, statusCode, headers) => void Object.assign(answer, { statusCode, headers }),
    onResponseData(controller, chunk) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes <= bytesMax) return
      finish()
      controller.abort(new Error('the rest is not read'))
    },
    onResponseEnd: finish,
    onResponseError: (_, error) => reject(error),
  })
  return promise
}
