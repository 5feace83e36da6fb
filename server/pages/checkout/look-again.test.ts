import { describe, expect, test } from 'vitest'
import { renderPage } from '../page.ts'
import { LOCALES } from '../words/locale.ts'
import { lookAgain, lookingAgain } from './look-again.ts'

const PATH = '/checkout/pay_1'
const LOOKS_MAX = 100

/** Follows a page that reloads itself. Returns the waits. */
function follow(locale?: string): number[] {
  const waits: number[] = []
  let looked: string | undefined
  while (waits.length < LOOKS_MAX) {
    const { next } = lookAgain(PATH, { looked, locale })
    if (!next) break
    waits.push(next.seconds)
    looked = new URLSearchParams(next.address.split('?')[1]).get('looked') ?? undefined
  }
  return waits
}

test('a page that reloads itself waits longer each time, and stops within an hour', () => {
  const waits = follow()
  expect(waits.length).toBeGreaterThan(5)
  expect(waits.length).toBeLessThan(LOOKS_MAX)
  expect(waits).toEqual([...waits].sort((left, right) => left - right))
  expect(waits.reduce((sum, each) => sum + each)).toBeLessThan(3_600)
})

test('a buyer who asks starts it again, in the language that was chosen', () => {
  const { address, next } = lookAgain(PATH, { looked: '7', locale: 'hy' })
  expect(address).toBe(`${PATH}?locale=hy`)
  expect(next?.address).toBe(`${PATH}?locale=hy&looked=8`)
  expect(lookAgain(PATH, {}).address).toBe(PATH)
})

test.each(['off', '-1', '999', '1e1', '99', '', 'x', '"><script>'])(
  '%j in the address gives a page that does not reload itself',
  (looked) => {
    expect(lookAgain(PATH, { looked }).next).toBeUndefined()
  },
)

describe.each(LOCALES)('in %s', (locale) => {
  const page = (looked?: string) =>
    renderPage({ locale, mode: 'live', title: '', body: lookingAgain(locale, lookAgain(PATH, { looked })) })

  test('the page says in a live region when it reloads, and how to stop it', () => {
    expect(page()).toMatch(/role="status">[^<]*5/)
    expect(page()).toContain('looked=off" data-testid="stop-looking"')
    expect(page('8')).toMatch(/role="status">[^<]*5/)
    expect(page('off')).not.toContain('stop-looking')
  })
})
