/**
 * A whole live deployment in one process, for browser tests: the service and its worker, a mail server, a simulated Stripe that
 * says about its money that it is real, and the proxy that ends TLS. It prints one line: the address of the proxy. Then it reads one
 * command a line and answers like operator-main.ts. The command `mailbox` returns every mail so far, `webhook URL` tells Stripe where
 * to report, and the commands after `key KEY` have this operator key.
 */

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readConfig } from '../../config.ts'
import { EVENTS } from '../../providers/stripe/inbound.ts'
import { serve } from '../../serve.ts'
import { decodedHeader, headersOf, partsOf, startMailServer } from '../mail-server.ts'
import { startStripeServer } from '../providers/stripe-server.ts'
import { type Output, runWords } from './operator-lines.ts'
import { reachOnly } from './public-hosts.ts'

const PAY = 'https://pay.example'
const SEND_EVERY_MS = 50
const STRIPE = { ACCOUNT: 'acct_simulatedShop', SECRET_KEY: 'sk_live_simulated_shop' }
const WEBHOOK_SECRET = 'whsec_simulated_shop'

const mails = await startMailServer()
const origins: Record<string, string> = {}
const post = async (url: string, headers: Record<string, string>, body: string) => {
  const address = url.replace(PAY, origins['pay.example'] ?? '')
  return (
    await fetch(address, { method: 'POST', headers: { ...headers, 'x-forwarded-proto': 'https' }, body })
  ).status
}
const stripe = await startStripeServer(() => new Date(), post, { live: true })
stripe.books.origin = 'https://checkout.stripe.com'
const account = stripe.openAccount(STRIPE.ACCOUNT, [STRIPE.SECRET_KEY])
setInterval(() => void stripe.work(), SEND_EVERY_MS)
reachOnly({ 'api.stripe.com': stripe.origin })

const environment = {
  MODE: 'live',
  BASE_URL: PAY,
  TRUST_PROXY: '1',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  DEFAULT_PROVIDER: 'manual',
  SEED_DEMO: 'false',
  LOG_LEVEL: 'error',
  EVENT_RETRY_DELAYS: '0,1,1,2,2',
  SMTP_URL: mails.url,
  MAIL_FROM: 'orders@pay.example',
  CONSOLE_BASE_URL: 'https://desk.example',
  ...process.env,
  PORT: String(await freePort()),
  CONSOLE_PORT: String(await freePort()),
}
Object.assign(origins, {
  'pay.example': `http://127.0.0.1:${environment.PORT}`,
  'desk.example': `http://127.0.0.1:${environment.CONSOLE_PORT}`,
  'checkout.stripe.com': stripe.origin,
})
const stopping = new AbortController()
await serve({
  environment,
  stopping: stopping.signal,
  out: () => {},
  err: (text) => process.stderr.write(`${text}\n`),
  exit: (code) => process.exit(code),
})
const config = readConfig(environment)
let key: string | undefined
const print = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`)
print({ proxy: await startTlsFront(origins), stripe: { ...STRIPE, WEBHOOK_SECRET } })
for await (const line of createInterface({ input: process.stdin })) print(await answer(JSON.parse(line)))
stopping.abort()

async function answer([first = '', ...rest]: string[]): Promise<Output> {
  const done = (stdout = {}) => ({ code: 0, stdout: JSON.stringify(stdout), stderr: '' })
  if (first === 'mailbox') return done(mails.arrived.map((mail) => ({ to: mail.to, ...readMail(mail) })))
  if (first === 'webhook')
    account.endpoints.push({ url: rest[0] ?? '', secrets: [WEBHOOK_SECRET], events: EVENTS })
  else if (first === 'key') key = rest[0]
  else return runWords(config, [first, ...rest], key)
  return done()
}

function readMail(mail: (typeof mails.arrived)[number]) {
  return { subject: decodedHeader(headersOf(mail).subject), ...partsOf(mail) }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Returns the address of an HTTP proxy for a browser that ignores certificates. `origins`: the origin on this machine for each
 * public host. It is read at each request. Any other host cannot be reached.
 */
async function startTlsFront(origins: Record<string, string>): Promise<string> {
  const ended = https.createServer(certify(), (request, response) => pass(origins, request, response))
  const proxy = http.createServer((_, response) => response.writeHead(403).end())
  proxy.on('connect', ({ url = '' }, socket) => {
    socket.on('error', () => {})
    if (!origins[url.replace(/:443$/, '')]) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    ended.emit('connection', socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

function pass(origins: Record<string, string>, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request
  const forwarded = { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' }
  const onward = http.request(new URL(url, origins[headers.host ?? '']), { method, headers: forwarded })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}

function certify(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'kassa-front-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  try {
    const files = ['-keyout', key, '-out', cert]
    execFileSync('openssl', ['req', ...form, '-subj', '/CN=pay.example', ...files], { stdio: 'ignore' })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
