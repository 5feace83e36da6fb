/**
 * Creates the HTTP server for the app. It limits the size, number and duration of requests and connections. Malformed HTTP requests
 * get an error body in the contract's format.
 */
import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import type { Context } from '../context.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { householdOf } from '../limits/network.ts'
import type { Asker } from './pages/refused.ts'
import { errorBody } from './reply-error.ts'
import { countHeader } from './request-headers.ts'
import { MESSAGE_HEADERS, STRICT_HEADERS } from './security-headers.ts'

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 15_000
/** Longer than the pause of usual clients and proxies, which would else send a request into a connection that is just being closed. */
export const KEEP_ALIVE_MS = 65_000
/**
 * A connection is closed if for this long nothing arrives and the caller takes nothing of the response. A response that fits into
 * the buffers of the system is not affected, and a larger one passes at 2 KB a second.
 */
const PROGRESS_WITHIN_MS = 60_000
/** How often Node checks the timeouts. A request can exceed them by this much. */
const SOCKETS_CHECK_MS = 2_000
const REQUESTS_PER_SOCKET_MAX = 1_000
const CONNECTIONS_MAX = 5_000
/** Keeps one caller from using all connections. Behind a proxy all callers have the proxy's address, so the proxy must limit them. */
const CONNECTIONS_PER_ADDRESS_MAX = 500
const HEAD_BYTES_MAX = 16 * 1024
/** Heads up to this size are parsed, so that a browser with too many cookies is known as one and gets a page. */
const PARSED_HEAD_BYTES_MAX = 2 * HEAD_BYTES_MAX
const ADDRESS_CHARS_MAX = 4 * 1024
const LONG_ADDRESS = new RegExp(`^[A-Z]+ [^ ]{${ADDRESS_CHARS_MAX + 1}}`)
const HEADERS_MAX = 100
const LINGER_MS = 1_000

const PARSER_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

// Express gives each request and response the prototypes of its app. V8 handles an object slowly after its prototype has changed,
// so objects of these classes have the right prototypes from the start.
class AppRequest extends IncomingMessage {}
class AppResponse extends ServerResponse<AppRequest> {}

/** From now on Express finds the prototypes of this app already in place. For the only app of a process. */
export function adoptMessages(app: Express): void {
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype })
}

/** Returns how many connections one address may open with these settings. */
export function connectionsPerAddress({
  rateLimits,
  trustProxy,
}: Pick<Context['config'], 'rateLimits' | 'trustProxy'>): number {
  return rateLimits === null || trustProxy !== false ? Number.POSITIVE_INFINITY : CONNECTIONS_PER_ADDRESS_MAX
}

/** Closes the connections of an address that are above its limit. */
function shareConnections(server: Server, perAddress: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = householdOf(socket.remoteAddress ?? '')
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
    if (count > perAddress) socket.destroy()
  })
}

/** `requestWithinMs`: how long a request may take to arrive. `headWithinMs`, `progressWithinMs`: for tests. */
type Times = { requestWithinMs?: number; headWithinMs?: number; progressWithinMs?: number }

/** `newRequestId`: makes the id for the response to a malformed request. */
export function createHttpServer(
  newRequestId: () => string,
  perAddress = Number.POSITIVE_INFINITY,
  {
    requestWithinMs = REQUEST_TIMEOUT_MS,
    headWithinMs = HEADERS_TIMEOUT_MS,
    progressWithinMs = PROGRESS_WITHIN_MS,
  }: Times = {},
): Server {
  const server = createServer({
    IncomingMessage: AppRequest,
    ServerResponse: AppResponse,
    headersTimeout: headWithinMs,
    requestTimeout: requestWithinMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: SOCKETS_CHECK_MS,
    maxHeaderSize: PARSED_HEAD_BYTES_MAX,
    // Node's own rejection has no body, so `refusalOf` checks this instead.
    requireHostHeader: false,
  })
  server.timeout = progressWithinMs
  server.maxConnections = CONNECTIONS_MAX
  server.maxHeadersCount = HEADERS_MAX + 1
  shareConnections(server, perAddress)

  const answering = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => {
    answering.set(socket, response)
    // Otherwise the last response and its request would stay in memory for as long as their connection.
    response.once('finish', () => answering.get(socket) === response && answering.delete(socket))
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    // After a part of a response, another response must not follow.
    const response = answering.get(socket)
    const isBetween = !response || response.writableFinished || !response.headersSent
    if (!socket.writable || error.code === 'ECONNRESET' || !isBetween) return void socket.destroy()
    const refusal = new AppError(parserCode(error))
    void refuseRaw(socket, refusal, newRequestId(), error.rawPacket)
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    refuseRaw(socket, new AppError('method_not_allowed'), newRequestId()),
  )
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, new AppError('expectation_failed'), newRequestId()),
  )
  return server
}

/** Rejects a request that the app must not get, or passes it on. */
export function guard(
  newRequestId: () => string,
  app: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const counts = new WeakMap<Duplex, number>()
  return (request: IncomingMessage, response: ServerResponse) => {
    const count = (counts.get(request.socket) ?? 0) + 1
    counts.set(request.socket, count)
    // Node's own limit would respond to pipelined requests with an empty 503 and keep the connection open.
    if (count > REQUESTS_PER_SOCKET_MAX) return
    if (count === REQUESTS_PER_SOCKET_MAX) response.setHeader('Connection', 'close')
    const code = refusalOf(request)
    if (code) void refuse(request, response, new AppError(code), newRequestId())
    else app(request, response)
  }
}

/** If the address alone fills the limit of the head, the error names the address. */
function parserCode({ code = '', rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }): ErrorCode {
  const found = PARSER_CODES[code] ?? 'malformed_request'
  const isAddress = found === 'headers_too_large' && LONG_ADDRESS.test(rawPacket?.toString('latin1') ?? '')
  return isAddress ? 'address_too_long' : found
}

function refusalOf({ url = '', rawHeaders, headers, httpVersion }: IncomingMessage): ErrorCode | null {
  if (url.length > ADDRESS_CHARS_MAX) return 'address_too_long'
  if (rawHeaders.length / 2 > HEADERS_MAX || lengthOf(rawHeaders) > HEAD_BYTES_MAX) return 'headers_too_large'
  if (headers.host === undefined && httpVersion === '1.1') return 'malformed_request'
  // Node takes the first one. A proxy may have decided by the other.
  if (countHeader(rawHeaders, 'host') > 1) return 'malformed_request'
  return null
}

function lengthOf(rawHeaders: readonly string[]): number {
  let length = 0
  for (const each of rawHeaders) length += each.length
  return length
}

async function refuse(
  { url, headers }: IncomingMessage,
  response: ServerResponse,
  error: AppError,
  requestId: string,
): Promise<void> {
  const { accept, 'accept-language': languages } = headers
  const answer = await answerOf(error, requestId, { path: url?.split('?')[0], accept, languages })
  response.writeHead(error.row.status, answer.headers).end(answer.body)
}

async function answerOf(error: AppError, requestId: string, asker: Asker | null) {
  // Loaded with the first refusal, because the server listens before the pages are loaded.
  const { refusalPage } = await import('./pages/refused.ts')
  const page = asker && refusalPage(error, requestId, asker)
  const body = page ?? JSON.stringify(errorBody(error, requestId))
  const headers = {
    'Content-Type': page ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    ...(page ? MESSAGE_HEADERS : STRICT_HEADERS),
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  return { body, headers }
}

/** Writes the response directly to the socket, because there is no response object, and closes the connection. */
async function refuseRaw(socket: Duplex, error: AppError, requestId: string, packet?: Buffer): Promise<void> {
  const isTooLong = error.code === 'headers_too_large' || error.code === 'address_too_long'
  const { readHead } = await import('./pages/refused.ts')
  const { body, headers } = await answerOf(error, requestId, isTooLong ? readHead(packet) : null)
  const { status } = error.row
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => {})
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // If the socket were closed with unread bytes, the connection would be reset before the caller reads the response.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
