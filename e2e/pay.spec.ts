import type { Page } from '@playwright/test'
import { arriveAtThanks, arriveUnpaid, chooseAtBank, openCheckout, watchComplaints } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

const payPath = (publicKey: string, product = 'tea') => `/pay/${publicKey}/${product}`

test.describe('a buyer without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('pays by the link inside the element', async ({ page, shop, kassa }) => {
    const address = `${kassa.url}${payPath(shop.account.publicKey)}`
    shop.pages.set(
      '/plain.html',
      `<!doctype html><html lang="en"><title>Tea</title><a href="${address}">Pay</a></html>`,
    )
    await page.goto(`${shop.origin}/plain.html`)
    await page.getByRole('link', { name: 'Pay' }).click()
    await expect(page.getByTestId('amount')).toHaveText('$15.00')
    // The buyer sees no second page with the same amount before the bank's.
    await chooseAtBank(page, 'paid')
    const paymentId = (await arriveAtThanks(page, shop)).get('paymentId') ?? ''
    expect(await shop.lookUp(paymentId)).toMatchObject({ status: 'paid', amountMinor: 1500 })
  })
})

test('a form on another site starts no payment, and our own page asks the buyer first', async ({
  page,
  shop,
  stranger,
  kassa,
  operator,
}) => {
  const before = (await operator.listPayments(shop.account.merchantId)).length
  const action = `${kassa.url}${payPath(shop.account.publicKey)}`
  const stolen = /name="token" value="([^"]+)"/.exec(await (await fetch(action)).text())?.[1]
  stranger.pages.set(
    '/lure.html',
    `<!doctype html><html lang="en"><title>Lure</title><form method="post" action="${action}">
     <input type="hidden" name="token" value="${stolen}"><button>Win</button></form></html>`,
  )
  await page.goto(`${stranger.origin}/lure.html`)
  const [answer] = await Promise.all([
    page.waitForNavigation(),
    page.getByRole('button', { name: 'Win' }).click(),
  ])
  expect(answer?.status()).toBe(403)
  await expect(page.getByTestId('offer')).toBeVisible()
  expect(await operator.listPayments(shop.account.merchantId)).toHaveLength(before)
  await page.getByTestId('pay').click()
  await expect(page.getByTestId('bank')).toBeVisible()
})

test('a double click and a reload of the posted form are one payment', async ({
  page,
  shop,
  kassa,
  operator,
}) => {
  const before = (await operator.listPayments(shop.account.merchantId)).length
  await page.goto(`${kassa.url}${payPath(shop.account.publicKey, 'locker')}`)
  await page.getByTestId('pay').dblclick()
  await expect(page.getByTestId('bank')).toBeVisible()
  await page.reload()
  expect(await operator.listPayments(shop.account.merchantId)).toHaveLength(before + 1)
})

test('a second tab shows that the payment is paid and cannot pay it again', async ({
  page,
  context,
  shop,
}) => {
  const paymentId = await openCheckout(page, shop)
  const second = await context.newPage()
  await second.goto(page.url())
  await expect(second.getByTestId('pay')).toBeVisible()
  await chooseAtBank(page, 'paid')
  await arriveAtThanks(page, shop)
  await second.getByTestId('pay').click()
  await expect(second.locator('h1')).toHaveText('Paid')
  expect(new URL(second.url()).pathname).toBe(`/checkout/${paymentId}`)
  await expect(second.getByTestId('pay')).toHaveCount(0)
})

async function expectToRefresh(page: Page): Promise<void> {
  await page.waitForURL(/looked=1/)
}

test('a page that waits for the bank refreshes itself without a script, until the buyer stops it', {
  tag: '@long',
}, async ({ page, shop, kassa }) => {
  const complaints = await watchComplaints(page)
  const paymentId = await openCheckout(page, shop)
  await chooseAtBank(page, 'unknown')
  await arriveUnpaid(page, paymentId)
  await page.goto(`${kassa.url}/checkout/${paymentId}`)
  await expect(page.getByRole('status')).toContainText('5 seconds')
  await expectToRefresh(page)
  await page.getByTestId('stop-looking').click()
  await expect(page.getByRole('status')).toHaveText('This page does not check by itself.')
  await expect(page.getByTestId('check-again')).toBeVisible()
  expect(complaints).toEqual([])
})
