/** Pages that put names on built-in prototypes: they get the same button, and it sends the same request. */
import type { Page } from '@playwright/test'
import { arriveAtCheckout, payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import type { Kassa } from './support/kassa.ts'
import { KINDS, type Kind, NAMES, pageAfter, putNames, STUBBORN } from './support/polluted-page.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

/** The button as HTML. A locator reads it in the test's own world: the page's names would disturb an `evaluate`. */
const drawn = (page: Page) => page.locator('kassa-pay div').first().innerHTML()

/** Opens a page after each script, compares its button with the button of a clean page, presses it and checks the requests. */
async function expectUnharmed(
  { page, shop, kassa }: { page: Page; shop: Shop; kassa: Kassa },
  scripts: Record<string, string>,
): Promise<void> {
  shop.pages.set('/clean.html', pageAfter(''))
  await page.goto(`${shop.origin}/clean.html`)
  const clean = await drawn(page)
  expect(clean).toContain('$15.00')
  const complaints = await watchComplaints(page)
  const requests = watchCheckouts(page)
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  for (const [what, script] of Object.entries(scripts)) {
    shop.pages.set('/polluted.html', pageAfter(script))
    await page.goto(`${shop.origin}/polluted.html`)
    await expect(payButton(page), `${what}: ${complaints.join()}`).toHaveCount(2)
    expect([what, await drawn(page)]).toEqual([what, clean])
    await payButton(page).first().click()
    await arriveAtCheckout(page)
  }
  expect(complaints).toEqual([])
  expect([...hosts].sort()).toEqual([shop.origin, new URL(kassa.url).origin].sort())
  expect(requests).toHaveLength(Object.keys(scripts).length)
  const { publicKey } = shop.account
  for (const body of requests)
    expect(body).toEqual({
      publicKey,
      productId: 'tea',
      clientReference: expect.stringMatching(/^[a-p]{32}$/),
    })
  expect(new Set(requests.map(({ clientReference }) => clientReference)).size).toBe(1)
}

/** In `npm run test:long` each reader's names have a page of their own. Here one page has them all. */
const scriptsOf = (kind: Kind): Record<string, string> =>
  process.env.KASSA_TEST_LONG
    ? Object.fromEntries(Object.entries(NAMES).map(([reader, names]) => [reader, putNames(names, kind)]))
    : { everything: putNames(Object.values(NAMES).flat(), kind) }

for (const kind of Object.keys(KINDS) as Kind[])
  test(`a page that puts names on every object (${kind}) has the same button and sends the same request`, async ({
    page,
    shop,
    kassa,
  }) => {
    await expectUnharmed({ page, shop, kassa }, scriptsOf(kind))
  })

for (const [what, script] of Object.entries(STUBBORN))
  test(`a page that ${what} has the same button and sends the same request`, async ({
    page,
    shop,
    kassa,
  }) => {
    await expectUnharmed({ page, shop, kassa }, { [what]: script })
  })

test('the page has its names back after the button loaded, drew, failed and was pressed again', async ({
  page,
  context,
  shop,
}) => {
  const names = [...NAMES.page, ...NAMES.descriptor]
  shop.pages.set('/polluted.html', pageAfter(putNames(names, 'function')))
  await page.goto(`${shop.origin}/polluted.html`)
  const listed = () => page.locator('html').evaluate(() => Object.keys(Object.prototype))
  expect(await listed()).toEqual(names)
  await context.setOffline(true)
  await payButton(page).first().click()
  await expect(payButton(page).first()).toHaveText('Try again')
  expect(await listed()).toEqual(names)
})
