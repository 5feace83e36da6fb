import { describe, expect, test } from 'vitest'
import { translate } from '../../messages/translate.ts'
import { LOCALES } from '../../pages/words/locale.ts'
import { BANK_OUTCOMES, type BankView, bankPage } from './bank.ts'

const VIEW: BankView = {
  locale: 'en',
  merchantName: 'Teahouse',
  reference: 'ref-17',
  amountMinor: 190000,
  currency: 'AMD',
  action: '/sandbox/bank/ref-17',
  state: 'open',
  twoStep: false,
}

describe('the simulated bank', () => {
  test.each(LOCALES)(
    'offers its five answers as plain submit buttons, the good one first, in %s',
    (locale) => {
      const page = bankPage({ ...VIEW, locale })
      const values = [...page.matchAll(/<button type="submit" name="outcome" value="(\w+)"/g)].map(
        (m) => m[1],
      )
      expect(values).toEqual([...BANK_OUTCOMES])
      expect(page).toContain('<form method="post" action="/sandbox/bank/ref-17"')
      expect(page).toContain(translate(locale, 'bank.bankNoMoney'))
      expect(page.match(/<h1/g)).toHaveLength(1)
      expect(page).not.toMatch(/<script|<style|\sstyle=|undefined/)
    },
  )

  test('explains every choice to readers who cannot see the layout', () => {
    const page = bankPage(VIEW)
    for (const outcome of BANK_OUTCOMES) {
      expect(page).toContain(`aria-describedby="outcome-${outcome}"`)
      expect(page).toContain(`<p id="outcome-${outcome}">`)
    }
  })

  test('says that a two-step bank only authorizes the money first', () => {
    expect(bankPage({ ...VIEW, twoStep: true })).toContain(translate('en', 'bank.outcomePaidTwoStepText'))
    expect(bankPage(VIEW)).not.toContain(translate('en', 'bank.outcomePaidTwoStepText'))
  })

  test.each(['done', 'unknown-order'] as const)('offers nothing when the order is %s', (state) => {
    const returnUrl = state === 'done' ? 'https://pay.example/return' : undefined
    const page = bankPage({ ...VIEW, state, ...(returnUrl && { returnUrl }) })
    expect(page).not.toMatch(/<form|<button/)
    expect(page.includes('href="https://pay.example/return"')).toBe(state === 'done')
    expect(page.match(/<h1/g)).toHaveLength(1)
  })

  test('always shows the ribbon and looks different from the checkout', () => {
    const page = bankPage(VIEW)
    expect(page).toContain('sandbox-ribbon')
    expect(page).toContain('<body class="bank"')
  })

  test('hostile text stays text, and a form with a hostile action is left out', () => {
    const attack = `"><script>alert(1)</script>`
    const page = bankPage({ ...VIEW, merchantName: attack, reference: attack, action: 'javascript:alert(1)' })
    expect(page).not.toMatch(/<script|<form|javascript:/)
  })
})
