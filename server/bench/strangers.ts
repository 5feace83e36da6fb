/**
 * Measures what strangers without a token can do to others. It takes turns: for each attack and each build it measures
 * `GET /api/health` and the creation of a payment, quiet and under the attack, and the memory. With `--processes 2` each build has two
 * processes on one database. All of them are attacked at once, and asked in turn.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { atLeast } from './at-least.ts'
import { readMegabytes } from './processes.ts'
import { type Checkout, openScene } from './scene.ts'

const ASK_EVERY_MS = 60
const ATTACKER_STARTS_MS = 1_500
const SLASHES = `/docs${'/'.repeat(4_080)}x`
const BODY_BYTES = 255 * 1024
const UNKNOWN_ACCOUNT = `acc_test_${'0'.repeat(36)}`

type Times = { health: number[]; creation: number[] }
type Running = { url: string; pid: number }
type Service = { name: string; token: string; running: Running[] }

const request = (path: string, headers = '') =>
  `${headers ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

function open(url: string, write: (socket: Socket) => void): Socket {
  const { hostname, port } = new URL(url)
  const socket = createConnection({ host: hostname, port: Number(port) }, () => write(socket))
  return socket.on('error', () => {})
}

/** Each attack runs in a process of its own until that process is told to stop. */
const ATTACKS: Record<string, (url: string, isOver: () => boolean) => Promise<void>> = {
  async slashes(url, isOver) {
    const repeat = async () => {
      while (!isOver()) {
        await fetch(url + SLASHES).then((answer) => answer.arrayBuffer())
        await sleep(150)
      }
    }
    await Promise.all(Array.from({ length: 8 }, repeat))
  },
  async readers(url, isOver) {
    const many = request('/openapi.json').repeat(60)
    const sockets = Array.from({ length: 150 }, () => open(url, (socket) => socket.pause().write(many)))
    while (!isOver()) await sleep(100)
    for (const socket of sockets) socket.destroy()
  },
  async bodies(url, isOver) {
    const head = request(`/callbacks/${UNKNOWN_ACCOUNT}`, `Content-Length: ${BODY_BYTES}\r\n`)
    const body = Buffer.alloc(BODY_BYTES - 1, 'x')
    const sockets: Socket[] = []
    for (let sent = 0; sent < 400 && !isOver(); sent++) {
      sockets.push(open(url, (socket) => socket.resume().write(head) && socket.write(body)))
      await sleep(15)
    }
    while (!isOver()) await sleep(100)
    for (const socket of sockets) socket.destroy()
  },
}

async function start(
  stack: AsyncDisposableStack,
  { name, token, start }: Checkout,
  processes: number,
): Promise<Service> {
  const running: Running[] = []
  while (running.length < processes) {
    const { pid, port, stop } = await start()
    stack.defer(stop)
    running.push({ url: `http://127.0.0.1:${await port}`, pid })
  }
  return { name, token, running }
}

async function measure({ running, token }: Service, seconds: number): Promise<Times> {
  const times: Times = { health: [], creation: [] }
  const timed = async (into: number[], ask: () => Promise<Response>) => {
    const started = performance.now()
    const answer = await ask()
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`)
    into.push(performance.now() - started)
  }
  let turns = 0
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(ASK_EVERY_MS)) {
    const url = running[turns++ % running.length]?.url
    await timed(times.health, () => fetch(`${url}/api/health`))
    const order = `o-${Math.round(performance.now() * 1_000).toString(36)}`
    const body = JSON.stringify({
      merchantOrderId: order,
      amountMinor: 1900,
      currency: 'AMD',
      returnUrl: 'https://shop.example/',
    })
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `${order}-${process.pid}`,
    }
    await timed(times.creation, () => fetch(`${url}/v1/payment-sessions`, { method: 'POST', headers, body }))
  }
  return times
}

const at = (times: number[], share: number) => {
  const sorted = times.toSorted((one, other) => one - other)
  return (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
}
const show = (times: number[]) => `${at(times, 0.5)}/${at(times, 0.99)}`
const memoryMb = async ({ running }: Service) =>
  (await Promise.all(running.map(({ pid }) => readMegabytes(pid)))).join('+')

async function compare(
  services: Service[],
  { seconds, attack }: { seconds: number; attack: string },
): Promise<void> {
  for (const service of services) {
    await measure(service, 2)
    const before = await memoryMb(service)
    const quiet = await measure(service, seconds)
    // A separate process, because the attacker's work must not delay the measurement in this one.
    const attackers = service.running.map(({ url }) => fork(import.meta.filename, ['attack', attack, url]))
    await sleep(ATTACKER_STARTS_MS)
    const attacked = await measure(service, seconds)
    const during = await memoryMb(service)
    const ended = attackers.map((attacker) => once(attacker, 'exit'))
    for (const attacker of attackers) attacker.send('stop')
    await Promise.all(ended)
    console.log(
      `${attack.padEnd(8)} ${service.name}: median/p99 ms quiet: health ${show(quiet.health)}, creation ${show(quiet.creation)}; attacked: health ${show(attacked.health)}, creation ${show(attacked.creation)}; memory ${before} -> ${during} MB`,
    )
  }
}

async function main(): Promise<void> {
  const options = new Command('bench -- strangers')
    .description('Measure what callers without a token can do to others.')
    .option('--against <dir...>', 'earlier builds, each a checkout with its node_modules', [])
    .option('--seconds <n>', 'length of each part', atLeast(1), 8)
    .option('--processes <n>', 'processes of each build, on one database', atLeast(1), 1)
    .parse()
    .opts<{ against: string[]; seconds: number; processes: number }>()
  await using stack = new AsyncDisposableStack()
  const { checkouts } = await openScene(stack, options.against)
  const services: Service[] = []
  for (const checkout of checkouts) services.push(await start(stack, checkout, options.processes))
  for (const attack of Object.keys(ATTACKS)) await compare(services, { seconds: options.seconds, attack })
}

const [task, attack = '', url = ''] = process.argv.slice(2)
if (task === 'attack') {
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  await ATTACKS[attack]?.(url, () => isOver)
  process.disconnect?.()
} else await main()
