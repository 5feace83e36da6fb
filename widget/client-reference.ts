/**
 * One client reference per attempt to pay. The server creates one payment per reference, so a double click, a retry,
 * a reload during the request and a duplicated tab lead to the same payment. The reference is stored before the
 * request is sent.
 */
import type { WidgetConfig } from './config.ts'

export type Sent = Pick<WidgetConfig, 'publicKey' | 'productId' | 'returnUrl' | 'order'>

const LIFE_MS = 30 * 60_000

/** Used if the browser refuses storage (private mode, sandboxed frame, full). It lasts as long as the page. */
const memory = new Map<string, string>()

/** The key holds every field that is sent, because the server rejects one reference with two different bodies. */
export function attemptKey(sent: Sent): string {
  return `kassa-pay:[${quote(sent.publicKey)},${quote(sent.productId)},${quote(sent.returnUrl)},${quote(sent.order)}]`
}

/** Converts each text separately, because a page can put `toJSON` on every array, and then all arrays give the same text. */
const quote = (text: string | undefined) => JSON.stringify(text ?? null)

/** Returns the reference of this attempt. Creates and stores one if there is none younger than 30 minutes. */
export function takeReference(sent: Sent, now = Date.now()): string {
  const key = attemptKey(sent)
  const stored = /^(\d+):([a-p]{32})$/.exec(load(key) ?? '')
  // Compare the absolute difference. A clock that is set back between a click and its retry must not create a second attempt.
  const age = Math.abs(now - Number(stored?.[1]))
  const secret = age < LIFE_MS ? stored?.[2] : undefined
  return compose(sent, secret ?? store(key, now))
}

/** Replaces a reference that the server knows with another body. */
export function renewReference(sent: Sent, now = Date.now()): string {
  return compose(sent, store(attemptKey(sent), now))
}

function compose(sent: Sent, secret: string): string {
  return sent.order ? `${sent.order}.${secret}` : secret
}

/** 128 random bits as 32 letters. Without digits, the server cannot mistake a reference for a card number. */
function store(key: string, now: number): string {
  let secret = ''
  // Not with Array.from: the libraries Prototype and MooTools replace it by one that ignores the mapping function.
  for (const byte of crypto.getRandomValues(new Uint8Array(16)))
    secret += String.fromCharCode(97 + (byte >> 4), 97 + (byte & 15))
  const value = `${now}:${secret}`
  memory.set(key, value)
  try {
    sessionStorage.setItem(key, value)
  } catch {
    // The copy in memory is enough for this page.
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
