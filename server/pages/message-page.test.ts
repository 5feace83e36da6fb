import { describe, expect, test } from 'vitest'
import { type MessageKind, messagePage } from './message-page.ts'
import { LOCALES } from './words/locale.ts'

const KINDS: MessageKind[] = [
  'not_found',
  'not_offered',
  'no_address',
  'return_refused',
  'busy',
  'error',
  'unavailable',
]

describe.each(KINDS)('the %s page', (kind) => {
  test.each(LOCALES)('has one h1, no form and no script in %s', (locale) => {
    const page = messagePage({ locale, mode: 'sandbox', kind })
    expect(page.match(/<h1/g)).toHaveLength(1)
    expect(page).not.toMatch(/<form|<script|<style|\sstyle=|undefined|data-testid="(pay|back)"/)
  })

  test('shows the request id when it has one', () => {
    const page = messagePage({ locale: 'en', mode: 'live', kind, requestId: 'req_"><b>' })
    expect(page).toContain('req_&quot;>&lt;b>')
    expect(page).not.toContain('sandbox-ribbon')
  })
})
