import type { Locator, Page } from '@playwright/test'
import { arriveAtCheckout, arriveAtThanks, payButton } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

const TABS_MAX = 12

/** Presses Tab until the element has a visible focus, as a buyer without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element.matches(':focus-visible'))) return
  }
  throw new Error(`${target} did not get the focus after ${TABS_MAX} presses of Tab.`)
}

test('a buyer without a mouse gets from the shop to the bank and back', async ({ page, shop }) => {
  await page.goto(`${shop.origin}/element.html`)
  await tabTo(page, payButton(page))
  await expect(payButton(page)).not.toHaveCSS('outline-style', 'none')
  await page.keyboard.press('Enter')
  const paymentId = await arriveAtCheckout(page)
  await tabTo(page, page.getByTestId('pay'))
  await expect(page.getByTestId('pay')).not.toHaveCSS('outline-style', 'none')
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Approve the payment' }))
  await page.keyboard.press('Space')
  await arriveAtThanks(page, shop)
  expect((await shop.lookUp(paymentId)).status).toBe('paid')
})

test('a button that failed keeps the focus, and Space tries again', async ({ page, context, shop }) => {
  await page.goto(`${shop.origin}/element.html`)
  await tabTo(page, payButton(page))
  await context.setOffline(true)
  await page.keyboard.press('Space')
  await expect(payButton(page)).toHaveText('Try again')
  await expect(payButton(page)).toBeFocused()
  await context.setOffline(false)
  await page.keyboard.press('Space')
  await arriveAtCheckout(page)
})

test('the band of test mode covers nothing that has the focus, on a phone whose keyboard is open', {
  tag: '@long',
}, async ({ page, kassa, shop }) => {
  await page.setViewportSize({ width: 360, height: 380 })
  await page.goto(`${kassa.url}/install/${shop.account.publicKey}?locale=hy`)
  for (const each of await page.locator('summary').all()) await each.click()
  await page.locator('a, button, input, select, summary, textarea').last().focus()
  const covered: string[] = []
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Shift+Tab')
    const name = await page.evaluate(() => {
      const { activeElement: focused } = document
      const band = document.querySelector('.ribbon')?.getBoundingClientRect().bottom ?? 0
      const top = focused?.getBoundingClientRect().top ?? 0
      return band === 0 || top < band ? `${focused?.outerHTML.slice(0, 80)} at ${top}, band ${band}` : null
    })
    if (name) covered.push(name)
  }
  expect(covered).toEqual([])
})
