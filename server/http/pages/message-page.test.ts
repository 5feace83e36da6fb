import { describe, expect, test } from 'vitest'
import { LOCALES } from './locale.ts'
import { type MessageKind, messagePage } from './message-page.ts'
import { MESSAGES } from './messages.ts'

const KINDS: MessageKind[] = ['not_found', 'error', 'unavailable', 'undecided']

describe.each(KINDS)('the %s page', (kind) => {
  test.each(LOCALES)('has one h1, no form and no script in %s', (locale) => {
    const page = messagePage({ locale, mode: 'sandbox', kind })
    expect(page.match(/<h1/g)).toHaveLength(1)
    expect(page).not.toMatch(/<form|<script|<style|\sstyle=|undefined|data-testid="(pay|back)"/)
  })

  test('shows the request id and the way back when it has them', () => {
    const page = messagePage({
      locale: 'en',
      mode: 'live',
      kind,
      requestId: 'req_"><b>',
      returnUrl: 'https://shop.example/',
    })
    expect(page).toContain('req_&quot;>&lt;b>')
    expect(page).toContain('href="https://shop.example/"')
    expect(page).not.toContain('sandbox-ribbon')
  })

  test('links to no script', () => {
    const page = messagePage({ locale: 'en', mode: 'live', kind, returnUrl: 'javascript:alert(1)' })
    expect(page).not.toContain('javascript')
  })
})

test('an undecided buyer is told not to pay again', () => {
  expect(messagePage({ locale: 'hy', mode: 'live', kind: 'undecided' })).toContain(MESSAGES.hy.unknownText)
})
