import { describe, expect, test } from 'vitest'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { translate } from '../../messages/translate.ts'
import { LOCALES } from '../words/locale.ts'
import { type CheckoutControl, type CheckoutView, checkoutPage } from './checkout-page.ts'
import { lookAgain } from './look-again.ts'

const PRESS: CheckoutControl = { kind: 'form', action: 'https://bank.example/order/1', fields: {} }
const FORM: CheckoutControl = {
  kind: 'form',
  action: 'https://bank.example/start',
  fields: { amount: '1900', signature: 'a"b' },
}
const NONE: CheckoutControl = { kind: 'none' }
const PAYABLE: PaymentStatus[] = ['created', 'pending_redirect', 'pending_payment']

const VIEW: CheckoutView = {
  locale: 'en',
  mode: 'sandbox',
  merchantName: 'Teahouse',
  merchantOrderId: 'order-17',
  description: 'Mountain tea',
  amountMinor: 190000,
  currency: 'AMD',
  status: 'created',
  control: PRESS,
  returnUrl: 'https://shop.example/thanks',
  expiresAt: '2026-03-04T15:30:00Z',
  paymentId: 'pay_17',
  lookAgain: lookAgain('/checkout/pay_17', {}),
}

const count = (page: string, part: string) => page.split(part).length - 1

describe.each(PAYMENT_STATUSES)('a payment that is %s', (status) => {
  test.each(LOCALES)('has one h1, the order, the amount and a way back in %s', (locale) => {
    const page = checkoutPage({ ...VIEW, status, locale })
    expect(page).toMatch(new RegExp(`^<!doctype html><html lang="${locale}">`))
    expect(count(page, '<h1')).toBe(1)
    expect(count(page, '<main')).toBe(1)
    expect(page).toContain('order-17')
    expect(page).toMatch(/1[\s,]900/)
    expect(page).toContain('href="https://shop.example/thanks"')
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|undefined|\{\w+\}/)
  })

  test.each([PRESS, FORM])('has one control when it can be paid, and none otherwise: $kind', (control) => {
    const page = checkoutPage({ ...VIEW, status, control })
    const isPayable = PAYABLE.includes(status)
    expect(count(page, 'data-testid="pay"')).toBe(isPayable ? 1 : 0)
    expect(count(page, '<form')).toBe(isPayable && control.kind === 'form' ? 1 : 0)
    expect(page.includes('bank.example')).toBe(isPayable)
    expect(page.includes('Pay before')).toBe(isPayable)
  })
})

describe('the checkout', () => {
  test('posts the fields of a form as they are', () => {
    const page = checkoutPage({ ...VIEW, control: FORM })
    expect(page).toContain('<form method="post" action="https://bank.example/start">')
    expect(page).toContain('name="signature" value="a&quot;b"')
  })

  test('tells a buyer with an undecided payment not to pay again, and offers to look again', () => {
    for (const locale of LOCALES) {
      const page = checkoutPage({ ...VIEW, locale, status: 'status_unknown' })
      for (const key of ['unknownText', 'unknownNextAsk', 'unknownNextTaken', 'unknownNextKept'] as const)
        expect(page).toContain(translate(locale, `pages.${key}`))
      expect(page).toContain('data-testid="check-again"')
      expect(page).toContain('pay_17')
    }
  })

  test.each(PAYABLE)('says that the merchant will confirm on the manual route, when %s', (status) => {
    const page = checkoutPage({ ...VIEW, control: NONE, isManual: true, status, isOver: true })
    expect(page).toContain(translate('en', 'pages.manualTitle'))
  })

  test.each(LOCALES)('explains on the manual route in %s how to pay, and mentions no bank', (locale) => {
    const page = checkoutPage({ ...VIEW, locale, control: NONE, isManual: true })
    expect(page).toContain(translate(locale, 'pages.manualText'))
    expect(page).not.toMatch(/\bbank|Բանկ|բանկ|банк/i)
  })

  test.each(PAYABLE)('says that the bank has not answered if a buyer cannot go on, when %s', (status) => {
    expect(checkoutPage({ ...VIEW, status, control: NONE })).toContain(
      translate('en', 'pages.processingTitle'),
    )
  })

  test('offers no payment after its time. A buyer who has been at the bank may have paid in time', () => {
    const titleOf = (status: PaymentStatus) => {
      const page = checkoutPage({ ...VIEW, status, isOver: true })
      expect(page).not.toContain('data-testid="pay"')
      return /<h1>([^<]+)/.exec(page)?.[1]
    }
    expect(titleOf('pending_redirect')).toBe(translate('en', 'pages.expiredTitle'))
    expect(titleOf('pending_payment')).toBe(translate('en', 'pages.processingTitle'))
    expect(titleOf('paid')).toBe(translate('en', 'pages.paidTitle'))
  })

  test.each([false, true])(
    'warns of another payment for the order before the buyer can go on (undecided: %s)',
    (isUnknown) => {
      const other = { isUnknown, amountMinor: 190000, currency: 'AMD', at: '2026-03-04T15:30:00Z' } as const
      const page = checkoutPage({
        ...VIEW,
        control: { kind: 'form', action: '/go?confirm=x', fields: {} },
        paidOtherwise: other,
      })
      expect(page).toContain(
        isUnknown ? translate('en', 'pages.orderUnknownTitle') : translate('en', 'pages.orderPaidTitle'),
      )
      expect(page).toContain('March 4, 2026')
      expect(page.indexOf('data-testid="back"')).toBeLessThan(page.indexOf('data-testid="pay"'))
      expect(page).toContain('<form method="post" action="/go?confirm=x">')
      expect(checkoutPage({ ...VIEW, status: 'paid', paidOtherwise: other })).not.toContain(
        'data-testid="pay"',
      )
    },
  )

  test('is a receipt once it is paid', () => {
    const paid = { ...VIEW, status: 'paid', paidAt: '2026-03-04T15:30:00Z', fiscalStatus: 'issued' } as const
    const page = checkoutPage(paid)
    for (const part of [
      'Teahouse',
      'order-17',
      'pay_17',
      'March 4, 2026',
      translate('en', 'pages.fiscalIssued'),
    ])
      expect(page).toContain(part)
    expect(checkoutPage({ ...paid, status: 'partially_refunded', refundedMinor: 90000 })).toMatch(
      /Returned.*900/,
    )
    expect(checkoutPage({ ...VIEW, status: 'paid', fiscalStatus: 'not_required' })).not.toContain('Fiscal')
  })

  test('shows a QR code of its own address only while it is open', () => {
    const address = 'https://pay.example/checkout/pay_17'
    expect(checkoutPage({ ...VIEW, address })).toContain('data-testid="qr"')
    expect(checkoutPage({ ...VIEW, address, status: 'paid' })).not.toContain('data-testid="qr"')
  })

  test('shows the ribbon in sandbox mode only', () => {
    expect(checkoutPage(VIEW)).toContain('sandbox-ribbon')
    expect(checkoutPage({ ...VIEW, mode: 'live' })).not.toContain('sandbox-ribbon')
  })

  test('leaves out missing data', () => {
    const { description: _, returnUrl: __, expiresAt: ___, ...bare } = VIEW
    const page = checkoutPage(bare)
    expect(page).not.toMatch(/data-testid="back"|Pay before|<dt>For/)
  })

  test('is always the same document for the same view', () => {
    expect(checkoutPage(VIEW)).toBe(checkoutPage(VIEW))
  })

  test('links the other languages if it gets their addresses', () => {
    const page = checkoutPage({ ...VIEW, localeLinks: { hy: '/p?lang=hy', ru: '//evil.example', en: '/p' } })
    expect(page).toContain('<a href="/p?lang=hy" lang="hy"')
    expect(page).toContain('<li lang="en" aria-current="true">English</li>')
    expect(page).not.toContain('evil')
  })
})

describe('hostile text', () => {
  const ATTACK = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`

  test.each(PAYMENT_STATUSES)('stays text on a page that is %s', (status) => {
    const page = checkoutPage({
      ...VIEW,
      status,
      merchantName: ATTACK,
      merchantOrderId: ATTACK,
      description: ATTACK,
      expiresAt: ATTACK,
      returnUrl: ATTACK,
      control: { kind: 'form', action: '/go', fields: { [ATTACK]: ATTACK } },
    })
    expect(page).not.toMatch(/<script|<img/)
    expect(page).toContain('<bdi class="shop-name">&quot;>&lt;script>alert(1)&lt;/script>')
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', ' javascript:alert(1)', '//evil.example'])(
    '%j never becomes a link',
    (address) => {
      for (const status of PAYMENT_STATUSES) {
        const control = { kind: 'form', action: address, fields: {} } as const
        const page = checkoutPage({ ...VIEW, status, control, returnUrl: address })
        expect(page).not.toContain(address.trim())
        expect(page).not.toMatch(/data-testid="(pay|back)"|<form/)
      }
    },
  )
})

test('a generated order reference is replaced by a short number that the buyer can read aloud', () => {
  const shown = {
    ...VIEW,
    merchantOrderId: 'wgt_test_01kgwzxq6n4t8v0c2f5h7j9m1p',
    paymentId: 'pay_test_01kgwz4t8v0c2f',
  }
  const page = checkoutPage(shown)
  expect(page).toContain('4T8V 0C2F')
  expect(page).not.toContain('wgt_test_')
  expect(checkoutPage({ ...shown, merchantOrderId: 'A-17' })).toContain('A-17')
})

test('the preview of a shared address has the purpose, the amount and the shop, and not the status', () => {
  for (const status of ['pending_redirect', 'paid', 'failed'] as const) {
    const page = checkoutPage({
      ...VIEW,
      status,
      description: 'Mountain "tea"',
      amountMinor: 190000,
      currency: 'AMD',
    })
    expect(page).toMatch(/<meta property="og:title" content="Mountain &quot;tea&quot; · \S*1,900"\/>/)
    expect(page).toMatch(/<meta property="og:description" content="Pay \S*1,900 to [^"]+"\/>/)
  }
})
