import type { Page } from '@playwright/test'
import { arriveAtCheckout, chooseAtBank, payButton, watchComplaints } from './support/buyer.ts'
import type { Kassa } from './support/kassa.ts'
import { expect, test } from './support/stage.ts'

const DECIDES_WITHIN_MS = 15_000

async function buyTea(page: Page, kassa: Kassa, outcome: 'paid' | 'declined'): Promise<void> {
  await page.goto(`${kassa.url}/demo/`)
  await expect(payButton(page)).toHaveText('Pay 1 900 ֏')
  await payButton(page).click()
  await arriveAtCheckout(page)
  await expect(page.getByTestId('amount')).toHaveText('֏1,900')
  await chooseAtBank(page, outcome)
  await page.waitForURL(`${kassa.url}/demo/thanks.html?*`)
}

test('the demo shop sells its tea and ships it once both proofs are in', async ({ page, kassa }) => {
  const complaints = await watchComplaints(page)
  await buyTea(page, kassa, 'paid')
  const verdict = page.getByTestId('verdict')
  await expect(verdict).toHaveAttribute('data-state', 'may-ship', { timeout: DECIDES_WITHIN_MS })
  await expect(verdict.getByRole('heading')).toHaveText('Paid. The parcel may leave.')
  const steps = page.getByTestId('steps').getByRole('listitem')
  await expect(steps).toHaveCount(4)
  for (const step of await steps.all()) await expect(step).toHaveAttribute('data-done', 'true')
  await expect(page.getByTestId('look-up')).toHaveAttribute('data-proof', 'yes')
  await expect(page.getByTestId('event')).toHaveAttribute('data-proof', 'yes')
  await page.getByTestId('ship').click()
  await expect(page.getByTestId('ship')).toHaveText('Shipped')
  expect(complaints).toEqual([])
})

test('the demo shop does not ship a declined tea, and says why', async ({ page, kassa }) => {
  await buyTea(page, kassa, 'declined')
  const verdict = page.getByTestId('verdict')
  await expect(verdict).toHaveAttribute('data-state', 'ended', { timeout: DECIDES_WITHIN_MS })
  await expect(verdict).toContainText('The bank declined.')
  await expect(page.getByTestId('ship')).toHaveAttribute('aria-disabled', 'true')
})

test('the demo shop ships nothing to somebody who only opens its thanks page', async ({ page, kassa }) => {
  await page.goto(`${kassa.url}/demo/thanks.html?paymentId=pay_1&merchantOrderId=wgt_1&status=paid`)
  await expect(page.getByTestId('verdict')).toContainText('The shop does not know this order.')
  await expect(page.getByTestId('ship')).toHaveAttribute('aria-disabled', 'true')
})
