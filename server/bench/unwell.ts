/**
 * Measures what unwell accounts cost the other merchants. A hundred merchants have accounts of their own at a stub, which
 * answers like Stripe over the network after a few milliseconds. Four accounts are unwell: the provider refuses the first, the
 * credentials of the second cannot be read, nobody listens at the address of the third, and the fourth never gets an answer.
 * Creations of the other merchants are measured while requests for these four arrive too, and while as many arrive for four
 * accounts that are well. The turns are short and alternate, so that other load on the machine affects both alike.
 */
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { setAccount } from '../accounts/set.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { issueToken } from '../merchants/api-key.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { openService } from '../service.ts'
import { atLeast } from './at-least.ts'
import { type Request, runLoad } from './load.ts'
import { startService } from './processes.ts'
import { requests } from './requests.ts'
import { compareTurns, quantile } from './rounds.ts'

type Options = { rounds: number; seconds: number; connections: number; merchants: number }
type Turn = { rate: number; p50Ms: number; p99Ms: number; refused: number; beside: number }

const ROOT = join(import.meta.dirname, '../..')
const BAD = ['refusing', 'unopenable', 'unreachable', 'silent'] as const
type Kind = (typeof BAD)[number] | 'well'
const ANSWERS_AFTER_MS = 5
/** The requests for the four accounts, each of which sends the next one so long after the answer. */
const BESIDE_EVERY_MS = 250
const WARM_UP_SECONDS = 20
const NOBODY = 'http://127.0.0.1:9'
const HOUR_SECONDS = 3_600
const JSON_TYPE = { 'content-type': 'application/json' }

/** What was opened at the stub, by its path. */
const opened = new Map<string, string>()

/** The stub of the provider. Its answer depends on the key of the account. */
async function answer(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const key = request.headers.authorization ?? ''
  if (key.includes('silent')) return
  await sleep(ANSWERS_AFTER_MS)
  const refused = {
    error: { type: 'invalid_request_error', message: 'Expired API Key', code: 'api_key_expired' },
  }
  if (key.includes('refusing')) return void response.writeHead(401, JSON_TYPE).end(JSON.stringify(refused))
  const known = opened.get(new URL(request.url ?? '/', origin).pathname)
  if (request.method === 'GET')
    return void response
      .writeHead(known ? 200 : 404, JSON_TYPE)
      .end(known ?? '{"error":{"type":"invalid_request_error"}}')
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  const reference = form.get('client_reference_id') ?? ''
  const session = {
    id: `cs_test_${reference}`,
    object: 'checkout.session',
    livemode: false,
    status: 'open',
    url: `${origin}/pay/${reference}`,
    amount_total: Number(form.get('line_items[0][price_data][unit_amount]') ?? 0),
    currency: 'usd',
    client_reference_id: reference,
    metadata: {},
    expires_at: Math.floor(Date.now() / 1_000) + HOUR_SECONDS,
    payment_intent: null,
  }
  opened.set(`/v1/checkout/sessions/${session.id}`, JSON.stringify(session))
  response.writeHead(200, JSON_TYPE).end(JSON.stringify(session))
}

/** Creates a merchant with an account of its own. Returns what makes its requests. */
async function openMerchant(
  ctx: Context,
  kind: Kind,
  { index, address }: { index: number; address: string },
) {
  const { merchantId } = await createMerchant(ctx, { name: `Shop ${index}` })
  const name = `${kind}${String(index).padStart(8, '0')}`
  const written = {
    ACCOUNT: `acct_${name}`,
    SECRET_KEY: `sk_test_${name}`,
    WEBHOOK_SECRET: `whsec_${name}`,
    API_BASE: kind === 'unreachable' ? NOBODY : address,
  }
  const given = { merchantId, route: 'route_a', driver: 'stripe', currencies: undefined } as const
  const { accountId } = await setAccount(ctx, { ...given, written })
  if (kind === 'unopenable')
    await ctx.db.query(`update sandbox.account_credentials set sealed = '\\x00' where account_id = $1`, [
      accountId,
    ])
  const { token } = await issueToken(ctx, { merchantId })
  return requests(name, '/v1/payment-sessions', { Authorization: `Bearer ${token}` })
}

type Shops = { others: (() => Request)[]; well: (() => Request)[]; bad: (() => Request)[] }

async function prepare(
  environment: Record<string, string>,
  merchants: number,
  address: string,
): Promise<Shops> {
  const { ctx, close } = await openService(readConfig(environment))
  let index = 0
  const open = (kind: Kind) => openMerchant(ctx, kind, { index: ++index, address })
  const several = async (kinds: readonly Kind[]) => {
    const all = []
    for (const kind of kinds) all.push(await open(kind))
    return all
  }
  const shops = {
    others: await several(Array.from({ length: merchants - 2 * BAD.length }, () => 'well' as const)),
    well: await several(BAD.map(() => 'well' as const)),
    bad: await several(BAD),
  }
  await close()
  return shops
}

/** Sends requests for each of these accounts until `ended` aborts. Returns how many were answered. */
async function loadBeside(port: number, shops: (() => Request)[], ended: AbortSignal): Promise<number> {
  let count = 0
  const repeat = async (next: () => Request) => {
    while (!ended.aborted) {
      const { path, headers, body = '' } = next()
      const url = `http://127.0.0.1:${port}${path}`
      const given = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: ended,
      }
      await fetch(url, given)
        .then((response) => response.text())
        .then(
          () => count++,
          () => {},
        )
      await sleep(BESIDE_EVERY_MS)
    }
  }
  // Four buyers of each account at once.
  await Promise.all([...shops, ...shops, ...shops, ...shops].map(repeat))
  return count
}

async function measure(
  port: number,
  { others, beside }: { others: (() => Request)[]; beside: (() => Request)[] },
  { seconds, connections }: Options,
): Promise<Turn> {
  const ended = new AbortController()
  const loading = loadBeside(port, beside, ended.signal)
  let turn = 0
  const next = () => (others[++turn % others.length] as () => Request)()
  const { signal } = new AbortController()
  const result = await runLoad({ ports: [port], connections, amount: { seconds }, next, signal })
  ended.abort()
  const { done, refused, latenciesMs } = result
  return {
    rate: done / result.seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    refused,
    beside: (await loading) / result.seconds,
  }
}

async function run(options: Options): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'kassa-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  // As root, PostgreSQL runs as another user.
  await chmod(folder, 0o755)
  const stub = createServer((request, response) => void answer(request, response, origin)).listen(
    0,
    '127.0.0.1',
  )
  await once(stub, 'listening')
  const origin = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`
  stack.defer(() => void stub.close().closeAllConnections())
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    SEED_DEMO: 'false',
    LOG_LEVEL: 'fatal',
    RATE_LIMITS: 'off',
  }
  const { others, well, bad } = await prepare(environment, options.merchants, origin)
  const server = await startService(ROOT, environment)
  stack.defer(() => server.stop())
  const port = await server.port
  const beside = { well, bad }
  for (const each of [well, bad])
    await measure(port, { others, beside: each }, { ...options, seconds: WARM_UP_SECONDS / 2 })
  const rounds: Record<keyof typeof beside, Turn>[] = []
  for (let round = 0; round < options.rounds; round++) {
    const names = round % 2 === 0 ? (['well', 'bad'] as const) : (['bad', 'well'] as const)
    const turns = {} as Record<keyof typeof beside, Turn>
    for (const name of names) turns[name] = await measure(port, { others, beside: beside[name] }, options)
    rounds.push(turns)
    console.error(
      `round ${round + 1}: ${names.map((name) => `${name} ${turns[name].rate.toFixed(0)}`).join(', ')} a second`,
    )
  }
  for (const name of ['well', 'bad'] as const) console.log(describe(rounds, name))
}

/** Returns a line with the medians over all rounds, and how they compare within a round. */
function describe(rounds: readonly Record<'well' | 'bad', Turn>[], name: 'well' | 'bad'): string {
  const { of, to } = compareTurns(rounds, name, 'well')
  return `beside four accounts that are ${name}: ${of('rate')} creations a second (${to('rate')}), p50 ${of('p50Ms', 1)} ms (${to('p50Ms')}), p99 ${of('p99Ms', 1)} ms (${to('p99Ms')}), ${of('refused')} refused, ${of('beside', 1)} requests a second beside`
}

await run(
  new Command('bench -- unwell')
    .description('Measure creations beside accounts that are refused, cannot be opened, or get no answer.')
    .option('--rounds <n>', 'turns of each; figures are medians over them', atLeast(1), 40)
    .option('--seconds <n>', 'length of one turn', atLeast(1), 2)
    .option('--connections <n>', 'requests at once', atLeast(1), 8)
    .option('--merchants <n>', 'merchants with an account of their own', atLeast(10), 100)
    .parse()
    .opts<Options>(),
)
