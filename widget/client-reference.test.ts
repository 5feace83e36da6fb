import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { attemptKey, renewReference, type Sent, takeReference } from './client-reference.ts'

const MINUTE_MS = 60_000
let stored: Map<string, string>
let sent: Sent
let count = 0

beforeEach(() => {
  stored = new Map()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  })
  // The copies in memory stay between tests, so every test uses another product.
  sent = { publicKey: 'kpk_1', productId: `tea-${++count}`, returnUrl: '/thanks', order: undefined }
})
afterEach(() => vi.unstubAllGlobals())

test('a reference is 128 random bits in letters, and is stored', () => {
  const reference = takeReference(sent)
  expect(reference).toMatch(/^[a-p]{32}$/)
  expect(stored.get(attemptKey(sent))).toContain(reference)
})

test('the same attempt keeps its reference for 30 minutes', () => {
  const reference = takeReference(sent, 0)
  expect(takeReference(sent, 30 * MINUTE_MS - 1)).toBe(reference)
  expect(takeReference(sent, 30 * MINUTE_MS)).not.toBe(reference)
})

test('a clock that was set back a little keeps the reference, and a clock that was set far back makes a new one', () => {
  const reference = takeReference(sent, 31 * MINUTE_MS)
  expect(takeReference(sent, 2 * MINUTE_MS)).toBe(reference)
  expect(takeReference(sent, MINUTE_MS)).not.toBe(reference)
})

test('a library that replaces Array.from changes nothing', () => {
  const { from } = Array
  Array.from = ((given: ArrayLike<unknown>) => [].slice.call(given)) as typeof from
  try {
    const reference = takeReference(sent)
    expect(reference).toMatch(/^[a-p]{32}$/)
    expect(takeReference(sent)).toBe(reference)
  } finally {
    Array.from = from
  }
})

test('a different value in any field that is sent makes another attempt', () => {
  const others = [
    { publicKey: 'kpk_2' },
    { productId: 'mate' },
    { returnUrl: undefined },
    { order: 'order-17' },
  ]
  const references = [{}, ...others].map((other) => takeReference({ ...sent, ...other }))
  expect(new Set(references).size).toBe(5)
})

test('the reference begins with the page’s client reference', () => {
  expect(takeReference({ ...sent, order: 'order-17' })).toMatch(/^order-17\.[a-p]{32}$/)
})

test('a renewed reference replaces the old one', () => {
  const old = takeReference(sent)
  const renewed = renewReference(sent)
  expect(renewed).not.toBe(old)
  expect(takeReference(sent)).toBe(renewed)
})

test('a foreign value in the storage is not used', () => {
  stored.set(attemptKey(sent), `${Date.now()}:../evil`)
  expect(takeReference(sent)).toMatch(/^[a-p]{32}$/)
})

test.each(['getItem', 'setItem'])('a storage whose %s throws is replaced by memory', (method) => {
  vi.stubGlobal('sessionStorage', {
    getItem: () => null,
    setItem: () => {},
    [method]: () => {
      throw new Error('refused')
    },
  })
  expect(takeReference(sent)).toBe(takeReference(sent))
})

test('without any storage the reference is kept in memory', () => {
  vi.stubGlobal('sessionStorage', undefined)
  expect(takeReference(sent)).toBe(takeReference(sent))
})
