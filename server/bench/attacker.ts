/**
 * Measures what one caller can cost. First the processor time of both parsers of hostile text, at 1 to 16 thousand characters. Then,
 * with a running service, how long `GET /api/health` takes without load, and while one address sends as much as its limits allow.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { holdsCardNumber } from '../card-number.ts'
import { diagnoseSnippet } from '../channels/doctor/snippet.ts'
import type { ChannelSettings } from '../channels/settings.ts'
import { atLeast } from './at-least.ts'

const SIZES = [1_000, 2_000, 4_000, 8_000, 16_000]
const MEASURE_MS = 30
const HEALTH_EVERY_MS = 20
const AT_ONCE = 8

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
    ['card numbers', CARD_PARTS, (text) => void holdsCardNumber(text, 'loose')],
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

/** Both in milliseconds. */
async function measureHealth(url: string, seconds: number): Promise<{ median: number; p99: number }> {
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

/** Sends the most expensive requests, each again after its response. Those above a limit get 429. */
function attack(url: string, publicKey: string): { stop(): Promise<Record<string, number>> } {
  const counts: Record<string, number> = {}
  let isOver = false
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
      // About 400 requests a second. That is far above every limit, but not a flood that only a firewall can stop.
      await sleep(AT_ONCE * 2.5)
    }
  }
  const lanes = Array.from({ length: AT_ONCE }, (_, index) => repeat(index))
  return {
    async stop() {
      isOver = true
      await Promise.all(lanes)
      return counts
    },
  }
}

const command = new Command('attacker')
  .option('--url <url>', 'the address of a running service in sandbox mode')
  .option('--public-key <key>', 'one of its public keys', 'kpk_sandbox_none')
  .option('--seconds <n>', 'length of each part', atLeast(1), 15)
const { url, publicKey, seconds } = command
  .parse()
  .opts<{ url?: string; publicKey: string; seconds: number }>()
measureReaders()
if (url) {
  await measureHealth(url, 2)
  const quiet = await measureHealth(url, seconds)
  const attacker = attack(url, publicKey)
  const attacked = await measureHealth(url, seconds)
  const show = ({ median, p99 }: typeof quiet) => `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  console.log(`\nhealth, quiet: ${show(quiet)}`)
  console.log(`health, attacked: ${show(attacked)}`, await attacker.stop())
}
