import { describe, expect, test } from 'vitest'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { translate } from '../../messages/translate.ts'
import { LOCALES } from '../words/locale.ts'
import { checkoutPage } from './checkout-page.ts'
import { type LinkView, linkPage } from './link.ts'

const VIEW: LinkView = {
  locale: 'en',
  mode: 'sandbox',
  merchantName: 'Teahouse',
  merchantOrderId: 'order-17',
  description: 'Mountain tea',
  amountMinor: 190000,
  currency: 'AMD',
  status: 'pending_redirect',
  paymentUrl: 'https://pay.example/link/lnk_1',
  checkoutUrl: 'https://pay.example/checkout/pay_1',
  isOver: false,
  isManual: false,
  returnUrl: 'https://shop.example/thanks',
  expiresAt: '2026-03-04T15:30:00Z',
}
const UNTOUCHED: PaymentStatus[] = ['created', 'pending_redirect']
const count = (page: string, part: string) => page.split(part).length - 1

describe.each(PAYMENT_STATUSES)('a link that is %s', (status) => {
  test.each(LOCALES)('shows the purpose, the amount and the status in %s', (locale) => {
    const page = linkPage({ ...VIEW, status, locale })
    expect(page).toMatch(new RegExp(`^<!doctype html><html lang="${locale}">`))
    expect(count(page, '<h1')).toBe(1)
    expect(page).toContain('Mountain tea')
    expect(page).toMatch(/1[\s,]900/)
    expect(page).toContain('href="https://shop.example/thanks"')
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|undefined|\{\w+\}/)
  })

  test('has one control and a QR code until somebody begins to pay, and none afterwards', () => {
    const page = linkPage({ ...VIEW, status })
    const expected = UNTOUCHED.includes(status) ? 1 : 0
    expect(count(page, 'data-testid="pay"')).toBe(expected)
    expect(count(page, '<svg class="qr-code"')).toBe(expected)
  })

  test('leads to the checkout only while the same payment can go on', () => {
    const goesOn = [...UNTOUCHED, 'pending_payment'].includes(status)
    expect(linkPage({ ...VIEW, status }).includes(VIEW.checkoutUrl)).toBe(goesOn)
  })

  test('has no control once its time has passed, or if a person confirms the money', () => {
    for (const change of [{ isOver: true }, { isManual: true }])
      expect(linkPage({ ...VIEW, ...change, status })).not.toMatch(
        /pay\.example|data-testid="(pay|continue|qr)"/,
      )
  })
})

test('a link whose time has passed says so instead of asking for money', () => {
  for (const status of ['pending_redirect', 'pending_payment'] as const)
    expect(linkPage({ ...VIEW, status, isOver: true })).toContain(translate('en', 'pages.expiredTitle'))
  expect(linkPage({ ...VIEW, status: 'paid', isOver: true })).toContain(translate('en', 'pages.paidTitle'))
})

describe.each(['link', 'checkout'])(
  'the page of a %s whose order another payment has paid, or may have paid',
  (kind) => {
    const page = (changes: Partial<LinkView>) =>
      kind === 'link'
        ? linkPage({ ...VIEW, ...changes })
        : checkoutPage({
            ...VIEW,
            control: { kind: 'form', action: VIEW.checkoutUrl, fields: {} },
            ...changes,
          })
    const other = { amountMinor: 5500, currency: 'USD', at: '2026-03-04T15:30:00Z' } as const
    const ended = { state: 'declined', declineCategory: undefined } as const

    test.each(PAYMENT_STATUSES)('never says that no money was taken for the order (%s)', (status) => {
      for (const isUnknown of [true, false]) {
        const shown = page({ status, ended, paidOtherwise: { ...other, isUnknown } })
        expect(shown).not.toContain(translate('en', 'pages.nothingTaken'))
        expect(shown).toContain('$55.00')
      }
      expect(page({ status: 'expired' })).toContain(translate('en', 'pages.nothingTaken'))
    })
  },
)

test('a link whose order is paid leads to the page that asks whether to pay once more', () => {
  const paidOtherwise = {
    isUnknown: false,
    amountMinor: 5500,
    currency: 'USD',
    at: '2026-03-04T15:30:00Z',
  } as const
  const page = linkPage({ ...VIEW, paidOtherwise })
  expect(page).toContain(translate('en', 'pages.orderPaidTitle'))
  expect(page).toContain(`href="${VIEW.checkoutUrl}" data-testid="continue"`)
  expect(page).not.toContain('data-testid="pay"')
})

test('the QR code has a name for screen readers, and its quiet zone', () => {
  const page = linkPage(VIEW)
  expect(page).toContain(`<title>${translate('en', 'pages.qrTitle')}</title>`)
  expect(page).toMatch(/role="img" viewBox="-4 -4 (\d+) \1"/)
})

test('another address makes another QR code', () => {
  const codeOf = (paymentUrl: string) =>
    /<path d="(M[^"]+h7v1[^"]*)"/.exec(linkPage({ ...VIEW, paymentUrl }))?.[1]
  expect(codeOf(VIEW.paymentUrl)).toMatch(/^M0 0h7v1h-7z/)
  expect(codeOf('https://pay.example/link/lnk_2')).not.toBe(codeOf(VIEW.paymentUrl))
})

test('hostile text stays text', () => {
  const attack = `"><script>alert(1)</script><img src=x>`
  const page = linkPage({
    ...VIEW,
    merchantName: attack,
    merchantOrderId: attack,
    description: attack,
    expiresAt: attack,
    returnUrl: 'javascript:alert(1)',
    checkoutUrl: 'javascript:alert(2)',
  })
  expect(page).not.toMatch(/<script|<img|javascript:/)
})
