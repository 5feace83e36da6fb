/**
 * Sends the requests of tests. It takes a quarter of the processor time of `fetch`, of which most tests need nothing else. It follows no
 * redirect, asks for no compression, and sends a long body and a request over https by `fetch`. So does who asks for compression.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'

export type LightAnswer = { status: number; headers: Headers; text: string }
export type LightRequest = {
  method?: string
  headers?: Record<string, string>
  body?: string | URLSearchParams
}

/** What `fetch` says about itself. */
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }
const FORM = 'application/x-www-form-urlencoded;charset=UTF-8'
/** A service may answer before it has read a longer body. */
const BODY_CHARS_MAX = 32_000

const agent = new Agent({ keepAlive: true })

export async function send(address: string | URL, given: LightRequest = {}): Promise<LightAnswer> {
  const url = new URL(address)
  const { method = 'GET', headers = {}, body } = given
  const text = body?.toString()
  const isPlain = (headers['accept-encoding'] ?? 'identity') === 'identity'
  if (url.protocol !== 'http:' || !isPlain || (text?.length ?? 0) > BODY_CHARS_MAX)
    return sendByFetch(url, given)
  const type = body instanceof URLSearchParams ? { 'content-type': FORM } : {}
  const length =
    text === undefined && method !== 'POST' ? {} : { 'content-length': Buffer.byteLength(text ?? '') }
  const sent = request(url, {
    agent,
    method,
    // Looking a name up takes longer than the request.
    ...(url.hostname === 'localhost' && { hostname: '127.0.0.1' }),
    headers: { host: url.host, ...USUAL, ...type, ...length, ...headers },
  })
  // Errors after the response go to the reader of its body.
  sent.on('error', () => {})
  sent.end(text)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, headers: headersOf(answer), text: await textOf(answer) }
}

async function sendByFetch(url: URL, { method, headers, body }: LightRequest): Promise<LightAnswer> {
  const answer = await fetch(url, {
    redirect: 'manual',
    ...(method !== undefined && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
