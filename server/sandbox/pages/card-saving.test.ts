import { expect, test } from 'vitest'
import { translate } from '../../messages/translate.ts'
import { LOCALES } from '../../pages/words/locale.ts'
import { CARD_SAVING_OUTCOMES, type CardSavingView, cardSavingPage } from './card-saving.ts'

const VIEW: CardSavingView = {
  locale: 'en',
  merchantName: 'Teahouse',
  reference: 'ref-17',
  state: 'open',
  action: '/sandbox/bank/cards/kassa/ref-17',
}

test.each(LOCALES)('offers its four cards as plain submit buttons, the good one first, in %s', (locale) => {
  const page = cardSavingPage({ ...VIEW, locale })
  const values = [...page.matchAll(/<button type="submit" name="outcome" value="(\w+)"/g)].map(
    ([, value]) => value,
  )
  expect(values).toEqual(['saved', 'saved_then_declines', 'saved_then_hard_declines', 'cancelled'])
  expect(page).toContain('<form method="post" action="/sandbox/bank/cards/kassa/ref-17"')
  expect(page).toContain(translate(locale, 'bank.cardTitle'))
  expect(page.match(/<h1/g)).toHaveLength(1)
  expect(page).not.toMatch(/<script|<style|\sstyle=|undefined/)
  for (const outcome of CARD_SAVING_OUTCOMES) expect(page).toContain(`aria-describedby="outcome-${outcome}"`)
})

test.each(['done', 'unknown'] as const)('offers nothing when the page is %s', (state) => {
  expect(cardSavingPage({ ...VIEW, state })).not.toMatch(/<form|<button/)
})

test('offers to remove a card that is saved, and nothing else', () => {
  const page = cardSavingPage({ ...VIEW, state: 'saved' })
  const values = [...page.matchAll(/name="outcome" value="(\w+)"/g)].map(([, value]) => value)
  expect(values).toEqual(['removed'])
  expect(page).toContain(translate('en', 'bank.cardKeptTitle'))
})

test('shows the ribbon, looks like the bank, and shows hostile text as text', () => {
  const attack = `"><script>alert(1)</script>`
  const page = cardSavingPage({ ...VIEW, merchantName: attack, reference: attack })
  expect(page).toContain('sandbox-ribbon')
  expect(page).toContain('<body class="bank"')
  expect(page).not.toContain('<script')
})
