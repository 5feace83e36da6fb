/**
 * One client reference per attempt to pay. It is what makes a double click, a retry, a reload in mid-request and a
 * duplicated tab one payment, so it is stored before the request that carries it leaves.
 */
import type { WidgetConfig } from './config.ts'

export type Sent = Pick<WidgetConfig, 'publicKey' | 'productId' | 'returnUrl' | 'order'>

const LIFE_MS = 30 * 60_000

/** Where storage is refused (private mode, sandboxed frame, full), a reference lives as long as the page. */
const memory = new Map<string, string>()

/** Every field that is sent takes part: one reference with two different bodies would be refused. */
export function attemptKey(sent: Sent): string {
  return `kassa-pay:${JSON.stringify([sent.publicKey, sent.productId, sent.returnUrl, sent.order])}`
}

/** The reference of this attempt, made and stored where there is none younger than 30 minutes. */
export function takeReference(sent: Sent, now = Date.now()): string {
  const key = attemptKey(sent)
  const stored = /^(\d+):([a-p]{32})$/.exec(load(key) ?? '')
  // Either way: a clock that is set back between a press and its retry must not make two of one attempt.
  const age = Math.abs(now - Number(stored?.[1]))
  const secret = age < LIFE_MS ? stored?.[2] : undefined
  return compose(sent, secret ?? store(key, now))
}

/** A new reference in the place of one that the server holds for another body. */
export function renewReference(sent: Sent, now = Date.now()): string {
  return compose(sent, store(attemptKey(sent), now))
}

function compose(sent: Sent, secret: string): string {
  return sent.order ? `${sent.order}.${secret}` : secret
}

/** 128 random bits as 32 letters: without digits no reference can ever look like a card number to the server. */
function store(key: string, now: number): string {
  let secret = ''
  // Not by Array.from: Prototype and MooTools put their own in its place, which maps nothing.
  for (const byte of crypto.getRandomValues(new Uint8Array(16)))
    secret += String.fromCharCode(97 + (byte >> 4), 97 + (byte & 15))
  const value = `${now}:${secret}`
  memory.set(key, value)
  try {
    sessionStorage.setItem(key, value)
  } catch {
    // The copy in memory serves until the page goes.
  }
  return secret
}

function load(key: string): string | null | undefined {
  try {
    return sessionStorage.getItem(key) ?? memory.get(key)
  } catch {
    return memory.get(key)
  }
}
