/**
 * Measures how long a right password takes while strangers try wrong ones from 8 networks at once. It starts a service with its console
 * from each `--entry`, and takes turns: for each service a browser that has signed in before and a new one of another network, quiet
 * and under the attack. Each round has networks that nobody has used, so that their limits are fresh.
 * Compare only the ratios within one run: `npm run bench -- sign-ins --entry server/main.ts ../older/server/main.ts`
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { atLeast } from '../at-least.ts'
import { freePort } from '../processes.ts'

const PASSWORD = 'four words of mountain tea'
const EMAIL = 'first@localhost'
const NETWORKS = 8
/** Browsers of one network that try passwords at once. */
const OF_NETWORK = 6
/** The person signs in more often than people do. All other limits are those of every service. */
const RATE_LIMITS = 'sign_in_user=1000:100000,page=1000:100000'

type Service = { entry: string; origin: string; child: ChildProcess; folder: string; device: string }
type Tried = { times: number[]; refused: number }

let used = 0
/** An address of a network that nobody has used in this run. */
function freshAddress(): string {
  used++
  return `10.${used >> 8}.${used & 255}.7`
}

function post(url: string, form: Record<string, string>, headers: Record<string, string>): Promise<Response> {
  const { origin } = new URL(url)
  return fetch(url, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
    headers: { origin, 'sec-fetch-site': 'same-origin', ...headers },
  })
}

async function start(entry: string): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-sign-ins-'))
  // The embedded PostgreSQL may run as another user.
  await chmod(folder, 0o755)
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    PORT: '0',
    CONSOLE_PORT: String(await freePort()),
    SEED_DEMO: 'false',
    LOG_LEVEL: 'error',
    TRUST_PROXY: '1',
    RATE_LIMITS,
  }
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const isOver = once(child, 'exit').then(() => true)
  while (!(await Promise.race([isOver, sleep(100, false)]))) {
    const link = /(http\S+\/link\/\S+)/.exec(text)?.[1]
    if (link) return { entry, origin: new URL(link).origin, child, folder, device: await setUp(link) }
  }
  throw new Error(`${entry} did not start:\n${text}`)
}

/** The code of an authenticator app now (RFC 6238). `secret`: in base 32. */
function codeOf(secret: string): string {
  const bits = [...secret].map((each) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each).toString(2).padStart(5, '0'),
  )
  const key = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  )
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor((performance.timeOrigin + performance.now()) / 30_000)))
  const digest = createHmac('sha1', key).update(step).digest()
  const start = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(start) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Sets up a password. Returns the cookie by which the browser is known. */
async function setUp(link: string): Promise<string> {
  const from = { 'x-forwarded-for': freshAddress() }
  const page = await (await fetch(link, { headers: from })).text()
  const secret = /secret=([A-Z2-7]+)/.exec(page)?.[1] ?? ''
  const form = { email: EMAIL, password: PASSWORD, code: codeOf(secret) }
  const answer = await post(link, form, from)
  const cookies = answer.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
  const device = cookies.find((each) => /device_/.test(each))
  if (!device) throw new Error(`The password was not set up: ${answer.status}`)
  return device
}

/** Sends a right password again and again. */
async function signIn({ origin, device }: Service, isKnown: boolean, seconds: number): Promise<Tried> {
  const tried: Tried = { times: [], refused: 0 }
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(50)) {
    const headers = { 'x-forwarded-for': freshAddress(), ...(isKnown && { cookie: device }) }
    const started = performance.now()
    const answer = await post(`${origin}/sign-in`, { email: EMAIL, password: PASSWORD, to: '/' }, headers)
    await answer.arrayBuffer()
    if (answer.status === 303) tried.times.push(performance.now() - started)
    else tried.refused++
  }
  return tried
}

/** Tries wrong passwords until it is told to stop. Returns how many were answered, by status. */
async function attack(origin: string, isOver: () => boolean): Promise<Record<string, number>> {
  const answers: Record<string, number> = {}
  const one = async (address: string) => {
    for (let turn = 0; !isOver(); turn++) {
      const form = {
        email: turn % 2 ? EMAIL : `x${turn}@pay.example`,
        password: `wrong ${turn} words`,
        to: '/',
      }
      const answer = await post(`${origin}/sign-in`, form, { 'x-forwarded-for': address })
      await answer.arrayBuffer()
      answers[answer.status] = (answers[answer.status] ?? 0) + 1
      // Whoever is refused at once would only measure how fast this process sends.
      if (answer.status === 429) await sleep(50)
    }
  }
  const networks = Array.from({ length: NETWORKS }, freshAddress)
  await Promise.all(
    networks.flatMap((address) =>
      Array.from({ length: OF_NETWORK }, (_, index) => one(address.replace(/7$/, String(10 + index)))),
    ),
  )
  return answers
}

const at = (times: number[], share: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? Number.NaN
const show = ({ times, refused }: Tried) =>
  `median ${at(times, 0.5).toFixed(0)} ms, p99 ${at(times, 0.99).toFixed(0)} ms, ${times.length} signed in, ${refused} refused`

async function compare(service: Service, seconds: number): Promise<void> {
  for (const isKnown of [true, false]) {
    const quiet = await signIn(service, isKnown, seconds)
    let isOver = false
    const attacking = attack(service.origin, () => isOver)
    const attacked = await signIn(service, isKnown, seconds)
    isOver = true
    const answers = await attacking
    const ratio = at(attacked.times, 0.5) / at(quiet.times, 0.5)
    console.log(
      `${isKnown ? 'known browser' : 'new browser  '} ${service.entry}: quiet ${show(quiet)}; attacked ${show(attacked)}; ratio ${ratio.toFixed(2)}`,
      answers,
    )
  }
}

const options = new Command('sign-ins')
  .option('--entry <paths...>', 'the main.ts of each version', ['server/main.ts'])
  .option('--seconds <n>', 'length of each part', atLeast(1), 10)
  .option('--rounds <n>', 'turns of all services', atLeast(1), 3)
  .parse()
  .opts<{ entry: string[]; seconds: number; rounds: number }>()
const services: Service[] = []
try {
  for (const entry of options.entry) services.push(await start(entry))
  for (let round = 0; round < options.rounds; round++)
    for (const service of services) await compare(service, options.seconds)
} finally {
  for (const { child, folder } of services) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}
