/**
 * Measures how much work one caller can cause. First it measures the processor time of both parsers of hostile text, at 1 to 16
 * thousand characters. Then it measures how long `GET /api/health` of the service takes, first without load and then while one address
 * sends as much as its limits allow.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { findCardNumber } from '../card-number/find.ts'
import { diagnoseSnippet } from '../channels/doctor/snippet.ts'
import type { ChannelSettings } from '../channels/settings.ts'
import { atLeast } from './at-least.ts'
import { openScene } from './scene.ts'

const SIZES = [1_000, 2_000, 4_000, 8_000, 16_000]
const MEASURE_MS = 30
const HEALTH_EVERY_MS = 20
const AT_ONCE = 8
const ATTACKER_STARTS_MS = 1_000

const CHANNEL: ChannelSettings = {
  merchantName: 'Shop',
  publicKey: 'kpk_1',
  apiOrigin: 'https://pay.example',
  origins: ['https://shop.example'],
  script: { moving: 'https://pay.example/widget/v1/kassa.js', versions: '', pinned: null },
  returnUrl: null,
  policy: { 'script-src': '', 'connect-src': '' },
  products: [],
}
const CARD_PARTS = ['4 ', '4', '\u0bea ', '4\u0300\u0316', '\u00bc']
const SNIPPET_PARTS = ['<script ', "<kassa-pay '", '<!--', 'http://', "={'"]

/** Returns the processor time of one call, in milliseconds. */
function cpuMs(read: () => void): number {
  for (let times = 1; ; times *= 2) {
    const before = process.threadCpuUsage()
    for (let time = 0; time < times; time++) read()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms >= MEASURE_MS) return ms / times
  }
}

function measureReaders(): void {
  const readers: [string, string[], (text: string) => void][] = [
    ['card numbers', CARD_PARTS, (text) => void findCardNumber(text)],
    ['snippets', SNIPPET_PARTS, (text) => void diagnoseSnippet(text, CHANNEL)],
  ]
  for (const [name, parts, read] of readers) {
    console.log(`\n${name}, ms for ${SIZES.join(', ')} characters`)
    for (const part of parts) {
      const times = SIZES.map((chars) => {
        const text = part.repeat(Math.ceil(chars / part.length)).slice(0, chars)
        return Math.min(...Array.from({ length: 3 }, () => cpuMs(() => read(text))))
      })
      console.log(`${JSON.stringify(part).padEnd(16)} ${times.map((ms) => ms.toFixed(3)).join('  ')}`)
    }
  }
}

/** Both values are in milliseconds. */
async function measureHealth(url: string, seconds: number): Promise<Health> {
  const times: number[] = []
  for (
    const end = performance.now() + seconds * 1_000;
    performance.now() < end;
    await sleep(HEALTH_EVERY_MS)
  ) {
    const started = performance.now()
    await (await fetch(`${url}/api/health`)).text()
    times.push(performance.now() - started)
  }
  times.sort((left, right) => left - right)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { median: at(0.5), p99: at(0.99) }
}

/**
 * Runs as a separate process until its parent disconnects. Sends the requests that cost the service most, each again after its
 * response. Requests above a limit get 429.
 */
async function attack(url: string, publicKey: string): Promise<void> {
  const counts: Record<string, number> = {}
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  const code = '<kassa-pay a=b c=d '.repeat(700)
  const origin = new URL(url).origin
  const click = (index: number) =>
    JSON.stringify({ publicKey: `kpk_sandbox_${index}`, note: '4 '.repeat(1_900) })
  const kinds: [string, string, (index: number) => RequestInit][] = [
    [
      'doctor',
      `/install/${publicKey}`,
      () => ({ method: 'POST', body: new URLSearchParams({ code, csp: 'a-'.repeat(4_000) }) }),
    ],
    [
      'click',
      '/api/widget/checkout',
      (index) => ({
        method: 'POST',
        body: click(index),
        headers: { origin, 'content-type': 'application/json' },
      }),
    ],
    ['search', `/docs/search?q=${'payment%20'.repeat(300)}`, () => ({})],
    ['document', '/openapi.json', () => ({})],
    ['token', '/v1/payments', () => ({ headers: { authorization: 'Bearer x' } })],
  ]
  async function repeat(index: number): Promise<void> {
    for (let at = index; !isOver; at++) {
      const [name, path, init] = kinds[at % kinds.length] ?? ['', '', () => ({})]
      const answer = await fetch(url + path, init(at))
      await answer.arrayBuffer()
      const key = `${name} ${answer.status}`
      counts[key] = (counts[key] ?? 0) + 1
      // About 400 requests a second: far above every limit, but less than a flood that only a firewall can stop.
      await sleep(AT_ONCE * 2.5)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => repeat(index)))
  process.send?.(counts)
  process.disconnect?.()
}

type Health = { median: number; p99: number }

/** Measures the response times in turns with and without the attack, so that other load on the machine affects both equally. */
async function compareHealth({ url, publicKey, seconds, rounds }: Attacked): Promise<void> {
  await measureHealth(url, 2)
  const turns: { quiet: Health; attacked: Health }[] = []
  for (let round = 0; round < rounds; round++) {
    const quiet = await measureHealth(url, seconds)
    // A separate process, because the attacker's work must not delay the measurement in this one.
    const attacker = fork(import.meta.filename, ['attack', url, publicKey])
    await sleep(ATTACKER_STARTS_MS)
    const attacked = await measureHealth(url, seconds)
    attacker.send('stop')
    const [counts] = await once(attacker, 'message')
    turns.push({ quiet, attacked })
    console.log(`health, quiet: ${show(quiet)}; attacked: ${show(attacked)}`, counts)
  }
  const ratio = median(turns.map(({ quiet, attacked }) => attacked.median / quiet.median))
  console.log(
    `\nmedians: quiet ${median(turns.map(({ quiet }) => quiet.median)).toFixed(1)} ms, attacked ${median(
      turns.map(({ attacked }) => attacked.median),
    ).toFixed(1)} ms; ratio ${ratio.toFixed(2)} (aim: at most 2)`,
  )
}

const show = ({ median, p99 }: Health) => `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

type Options = { seconds: number; rounds: number }
type Attacked = Options & { url: string; publicKey: string }

async function main(): Promise<void> {
  const options = new Command('bench -- attacker')
    .description('Measure what one caller can cost within the limits.')
    .option('--seconds <n>', 'length of each part', atLeast(1), 15)
    .option('--rounds <n>', 'turns with and without the attack; figures are medians over them', atLeast(1), 3)
    .parse()
    .opts<Options>()
  measureReaders()
  await using stack = new AsyncDisposableStack()
  const { checkouts } = await openScene(stack, [])
  for (const { admin, merchantId, start } of checkouts) {
    const words = ['installation', 'create', '--merchant', merchantId, '--origin', 'https://shop.example']
    const publicKey = await admin(/"(kpk_\w+)"/, ...words)
    const { port, stop } = await start()
    stack.defer(stop)
    await compareHealth({ ...options, url: `http://127.0.0.1:${await port}`, publicKey })
  }
}

const [task, url = '', publicKey = ''] = process.argv.slice(2)
if (task === 'attack') await attack(url, publicKey)
else await main()
