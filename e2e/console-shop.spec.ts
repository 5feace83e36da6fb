/** The tasks of a shop's owner in the console, on a phone of 360 x 740. The guide has the same numbers of taps. */
import { readFileSync } from 'node:fs'
import type { Locator } from '@playwright/test'
import { chooseAtBank } from './support/buyer.ts'
import { addAuthenticator } from './support/console.ts'
import { look, SHOTS } from './support/look.ts'
import { phoneFaults } from './support/narrow.ts'
import { expect, test } from './support/stage.ts'

/** Another test looks at these pages. */
const AS_BEFORE = { isNew: false }
const PHONE = { width: 360, height: 740 }
const GUIDE = new URL('../server/guides/console.md', import.meta.url)

const IS_LONG = process.env.KASSA_TEST_LONG !== undefined
/** The tasks visit the others. */
const LOOKED_AT = ['/orders-print', '/brand', '/notices', '/live', '/add-product', '/share']

test('an owner does the week’s tasks on a phone, with as many taps as the guide says', {
  tag: '@long',
}, async ({ kassa, operator, page, browser }) => {
  const { merchantId } = await operator.run<{ merchantId: string }>(
    'merchant',
    'create',
    '--name',
    'Potter & sons',
  )
  const of = ['--merchant', merchantId]
  await operator.run('callback', 'set', ...of, '--order-book')
  const { publicKey } = await operator.run<{ publicKey: string }>(
    'installation',
    'create',
    ...of,
    '--page',
    'https://social.example/potter',
  )
  await operator.run(
    'product',
    'set',
    ...of,
    '--id',
    'cup',
    '--name',
    'Cup',
    '--amount',
    '12.00',
    '--currency',
    'USD',
    '--field',
    'name=required',
  )
  const { link } = await operator.run<{ link: string }>(
    'user',
    'add',
    '--name',
    'Potter',
    '--role',
    'shop',
    '--email',
    'potter@shop.example',
    ...of,
  )
  await page.goto(`${kassa.url}/pay/${publicKey}/cup`)
  await page.getByLabel('Name').fill('Ani')
  await chooseAtBank(page, 'paid')
  await expect(page.getByTestId('checkout')).toBeVisible()

  const context = await browser.newContext({ viewport: PHONE, locale: 'en-US' })
  const phone = await context.newPage()
  await addAuthenticator(phone)
  const home = new URL(kassa.consoleLink).origin
  await phone.goto(home + new URL(link).pathname)
  await phone.getByRole('button', { name: 'Use a passkey' }).click()
  await phone.waitForURL('**/sandbox/today')

  const counts: Record<string, number> = {}
  const seconds: Record<string, string> = {}
  const faults: string[] = []
  let taps = 0
  const tap = async (target: Locator) => {
    taps++
    await target.click()
  }
  const write = async (target: Locator, text: string) => {
    await tap(target)
    await target.fill(text)
  }
  const link_ = (name: string | RegExp) => phone.getByRole('link', { name })
  const button = (name: string | RegExp) => phone.getByRole('button', { name })
  const menu = async (name: string) => {
    await tap(phone.getByText('Menu', { exact: true }))
    await tap(link_(name))
  }
  const task = async (name: string, act: () => Promise<void>, { isNew = true } = {}) => {
    await phone.setViewportSize(PHONE)
    await phone.goto(`${home}/sandbox/today`)
    taps = 0
    const begun = performance.now()
    await act()
    counts[name] = taps
    seconds[name] = ((performance.now() - begun) / 1000).toFixed(1)
    if (isNew) faults.push(...(await look(phone, name.replaceAll(' ', '-'))))
  }
  const done = (text: string | RegExp) => expect(phone.getByRole('status')).toContainText(text)

  await task(
    'find a sale',
    async () => {
      await write(phone.getByLabel('Find a payment'), '12.00')
      taps++
      await phone.keyboard.press('Enter')
      await tap(phone.locator('.row').first())
      await expect(phone.locator('.sentence')).toContainText('was paid on')
    },
    AS_BEFORE,
  )
  await task(
    'return a part',
    async () => {
      await write(phone.getByLabel('Find a payment'), '12.00')
      taps++
      await phone.keyboard.press('Enter')
      await tap(phone.locator('.row').first())
      await tap(link_('Return money'))
      await write(phone.getByLabel('Amount in'), '2,50')
      await write(phone.getByLabel('Why'), 'a crack')
      await tap(button('Next'))
      await tap(button(/^Return/))
      await done('The refund was requested')
    },
    AS_BEFORE,
  )
  await task('change a price', async () => {
    await menu('My shop')
    await tap(link_('Products'))
    await tap(link_('Cup'))
    await write(phone.getByLabel('Price'), '12,50')
    await tap(button('Save the price'))
    await done('The new price is $12.50')
  })
  await task('add a product', async () => {
    await menu('My shop')
    await tap(link_('Products'))
    await tap(link_('Add a product'))
    await write(phone.getByLabel('Name', { exact: true }).first(), 'Bowl')
    await write(phone.getByLabel('Price'), '1900')
    await tap(button('Save'))
    await done('Bowl is on sale')
  })
  await task('get a domain reviewed', async () => {
    await menu('My shop')
    await tap(link_('Site and public page'))
    await write(phone.getByLabel('Address'), 'potter.example')
    await tap(button('Ask for the review'))
    await done('Asked.')
    await operator.run('origin', 'approve', ...of, '--origin', 'https://potter.example')
    await phone.reload()
    await expect(phone.getByText('Reviewed. You can sell there')).toBeVisible()
  })
  await expect(async () => {
    await phone.goto(`${home}/sandbox/shops/${merchantId}/orders`)
    // Real time: one of many tries.
    await expect(button('Mark as packed')).toBeVisible({ timeout: 1_000 })
  }).toPass()
  faults.push(...(await look(phone, 'orders')))
  await task('pack an order', async () => {
    await menu('Orders')
    await tap(button('Mark as packed'))
    await done(/: packed/)
  })
  await task(
    'print a poster',
    async () => {
      await menu('My shop')
      await tap(link_('Link, QR code and poster'))
      await tap(link_('Make a poster'))
      await expect(phone.locator('svg.qr-code').first()).toBeVisible()
      taps++
    },
    AS_BEFORE,
  )

  const ends = [
    '',
    '/orders?way=packed',
    '/orders-print',
    '/brand',
    '/domains',
    '/notices',
    '/live',
    '/add-product',
    '/share',
  ]
  for (const locale of ['hy', 'ru', 'en'])
    for (const end of ends) {
      await phone.goto(
        `${home}/sandbox/shops/${merchantId}${end}${end.includes('?') ? '&' : '?'}locale=${locale}`,
      )
      const name = `${locale}${end.replaceAll(/\W+/g, '-')}`
      if (SHOTS || IS_LONG || (locale === 'en' && LOOKED_AT.includes(end)))
        faults.push(...(await look(phone, name)))
      else for (const fault of await phoneFaults(phone)) faults.push(`${name}: ${fault}`)
    }
  const order = await phone.goto(`${home}/sandbox/shops/${merchantId}/orders?way=packed`)
  expect(order?.status()).toBe(200)
  await phone.locator('.order a').first().click()
  await expect(phone.getByText('Ani').first()).toBeVisible()
  faults.push(...(await look(phone, 'order')))

  const without = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await context.storageState(),
  })
  const plain = await without.newPage()
  await plain.goto(`${home}/sandbox/shops/${merchantId}/products/cup`)
  await plain.getByLabel('Price').fill('13')
  await plain.getByRole('button', { name: 'Save the price' }).click()
  await expect(plain.getByRole('status')).toContainText('$13.00')
  await without.close()
  await context.close()
  console.info(JSON.stringify({ counts, seconds }))
  expect(faults).toEqual([])
  expect(counts).toEqual(countsOf(readFileSync(GUIDE, 'utf8')))
})

/** The tasks of the guide's table for owners with their taps. */
function countsOf(guide: string): Record<string, number> {
  const [, section = ''] = guide.split("## An owner's week")
  const rows = [...section.matchAll(/^\| ([^|]+) \| (\d+) \| /gm)]
  return Object.fromEntries(rows.map(([, name = '', count]) => [name.trim().toLowerCase(), Number(count)]))
}
