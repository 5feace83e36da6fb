/** The tasks of an operator's week in the console. The guide has the same numbers of taps. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import { buy } from './support/buyer.ts'
import { addAuthenticator } from './support/console.ts'
import { look } from './support/look.ts'
import { phoneFaults } from './support/narrow.ts'
import { expect, test } from './support/stage.ts'

const GUIDE = readFileSync(new URL('../server/guides/console.md', import.meta.url), 'utf8')

const TASKS: Record<string, string> = {
  angry: 'An angry buyer says',
  part: 'A part of a payment is returned',
  undecided: 'A payment whose outcome nobody knows',
  callback: 'A shop was away',
  live: 'Why can this shop not go live?',
}
const guideRow = (title: string) => GUIDE.split('\n').find((line) => line.startsWith(`| ${title}`))

/** A shop whose back end accepts no event until it is mended. Its pages are there all the time. */
async function openReceiver() {
  const receiver = { isMended: false, arrived: 0 }
  const server = createServer((request, response) => {
    request.resume()
    if (request.method === 'GET') return void response.end('Thank you')
    if (receiver.isMended) receiver.arrived++
    response.writeHead(receiver.isMended ? 200 : 500).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, { origin: `http://127.0.0.1:${port}`, close: () => server.close() })
}

test('an operator does the week’s tasks, with as many taps as the guide says', { tag: '@long' }, async ({
  kassa,
  shop,
  operator,
  page,
  browser,
}) => {
  const taps: Record<string, number> = {}
  const seconds: Record<string, string> = {}
  let count = 0
  const tap = async (what: Locator) => {
    await what.click()
    count++
  }
  const write = async (desk: Page, label: string, text: string) => {
    await tap(desk.getByLabel(label))
    await desk.getByLabel(label).fill(text)
  }
  /** The key that sends a field counts as a tap, as on a phone's keyboard. */
  const enter = async (desk: Page) => {
    await desk.keyboard.press('Enter')
    count++
  }

  const receiver = await openReceiver()
  const dead = await operator.openAccount({
    origin: receiver.origin,
    callbackUrl: `${receiver.origin}/callback`,
    returnUrl: `${receiver.origin}/thanks`,
  })
  const session = await fetch(`${kassa.url}/v1/payment-sessions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${dead.token}`,
      'idempotency-key': 'dead',
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      merchantOrderId: 'dead-1',
      amountMinor: 700,
      currency: 'USD',
      returnUrl: `${receiver.origin}/thanks`,
    }),
  })
  expect(session.status).toBe(201)
  await page.goto(((await session.json()) as { providerCheckoutUrl: string }).providerCheckoutUrl)
  await page.locator('button[name="outcome"][value="paid"]').click()
  await page.waitForURL(`${receiver.origin}/thanks*`)
  const paidId = await buy(page, shop, { outcome: 'paid', path: '/element.html?product=locker' })
  const soldId = await buy(page, shop, { outcome: 'paid' })
  const openId = await buy(page, shop, { outcome: 'unknown' })
  const { link } = await operator.run<{ link: string }>(
    ...['user', 'add', '--name', 'Desk', '--role', 'administrator', '--email', 'desk@pay.example'],
  )

  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const desk = await context.newPage()
  const complaints: string[] = []
  desk.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await addAuthenticator(desk)
  const { origin } = new URL(kassa.consoleLink)
  await desk.goto(origin + new URL(link).pathname)
  await desk.getByRole('button', { name: 'Use a passkey' }).click()
  await desk.waitForURL('**/sandbox/today')
  const at = (path: string) => `${origin}/sandbox/${path}`
  const faults: string[] = []
  const menu = async (name: string) => {
    await tap(desk.getByText('Menu', { exact: true }))
    await tap(desk.locator('.menu').getByRole('link', { name, exact: true }))
  }

  /** Each task begins on Today. */
  const task = async (name: string, act: () => Promise<void>) => {
    await desk.goto(at('today'))
    count = 0
    const begun = performance.now()
    await act()
    taps[name] = count
    seconds[name] = ((performance.now() - begun) / 1_000).toFixed(1)
  }
  const find = async (text: string, id: string) => {
    await write(desk, 'Find a payment', text)
    await enter(desk)
    await desk.waitForURL('**/payments?q=*')
    await tap(desk.locator(`a[href*="${id}"]`))
  }

  // The worker writes what is found by words a moment later.
  await expect(async () => {
    await desk.goto(`${at('payments')}?q=1900+today`)
    // Real time: one of many tries.
    await expect(desk.locator(`a[href*="${paidId}"]`)).toBeVisible({ timeout: 1_000 })
    await desk.goto(`${at('payments')}?q=15.00+today`)
    // Real time: one of many tries.
    await expect(desk.locator(`a[href*="${soldId}"]`)).toBeVisible({ timeout: 1_000 })
  }).toPass({ timeout: 60_000 })
  await task('angry', async () => {
    await find('1900 today', paidId)
    await expect(desk.locator('.sentence')).toContainText('is held since')
  })
  await task('part', async () => {
    await find('15.00 today', soldId)
    await tap(desk.getByRole('link', { name: 'Return money' }))
    await write(desk, 'Amount in', '2,50')
    await write(desk, 'Why', 'a crack')
    await tap(desk.getByRole('button', { name: 'Next' }))
    await tap(desk.getByRole('button', { name: /^Return/ }))
    await expect(desk.getByRole('status')).toContainText('The refund was requested')
  })
  const refunded = async () =>
    JSON.stringify(await operator.run('payment', 'show', '--payment', soldId)).match(
      /"refundedMinor":(\d+)/,
    )?.[1]
  await expect.poll(refunded).toBe('250')

  await expect
    .poll(
      async () =>
        (await operator.listPayments(shop.account.merchantId)).find(({ id }) => id === openId)?.status,
    )
    .toBe('status_unknown')
  await desk.goto(at('desk'))
  faults.push(...(await look(desk, 'desk')))
  await desk.goto(at(`desk/undecided/${openId}`))
  faults.push(...(await look(desk, 'case')))
  await task('undecided', async () => {
    await tap(desk.locator('.number').filter({ hasText: 'cases on the desk' }))
    await tap(desk.locator(`a[href*="${openId}"]`))
    await tap(desk.getByLabel('It was paid', { exact: true }))
    await write(desk, 'Where have you seen it?', 'in the bank statement')
    await tap(desk.getByRole('button', { name: 'Decide' }))
    await tap(desk.getByRole('button', { name: 'Yes, decide so' }))
    await expect(desk.getByRole('status')).toContainText('Decided')
  })
  const { text } = { text: await (await context.request.get(at(`desk/undecided/${openId}`))).text() }
  expect(text).toContain('This is not on the desk any more')

  await expect
    .poll(
      async () =>
        (
          await operator.run<{ events: { state: string }[] }>('event', 'list', '--merchant', dead.merchantId)
        ).events.map(({ state }) => state),
      { timeout: 60_000 },
    )
    .toContain('exhausted')
  await desk.goto(`${at(`shops/${dead.merchantId}/events`)}?day=today`)
  faults.push(...(await look(desk, 'events')))
  receiver.isMended = true
  await task('callback', async () => {
    await menu('Shops')
    await tap(desk.locator(`a[href$="${dead.merchantId}"]`))
    await tap(desk.getByRole('link', { name: 'Events' }))
    await write(desk, 'Day', 'today')
    await tap(desk.getByRole('button', { name: 'Show' }))
    await tap(desk.getByRole('button', { name: /^Send all/ }))
    await expect(desk.getByRole('status')).toContainText('being sent')
  })
  await expect.poll(() => receiver.arrived).toBeGreaterThan(0)
  await expect(async () => {
    await desk.reload()
    // Real time: one of many tries.
    await expect(desk.getByTestId('counts')).toHaveText(/^\s*delivered \d+\s*$/, { timeout: 500 })
  }).toPass({ timeout: 60_000 })
  await desk.locator('a.row').first().click()
  faults.push(...(await look(desk, 'event')))

  await task('live', async () => {
    await menu('Shops')
    await tap(desk.locator(`a[href$="${dead.merchantId}"]`))
    await tap(desk.getByRole('link', { name: 'Going live' }))
    await expect(desk.getByRole('heading', { level: 1 })).toHaveText('Going live')
    // The reasons: nobody can reach the shop, and nobody has looked at its place.
    const step = (title: string) => desk.locator('.step').filter({ hasText: title })
    for (const done of ['Something to sell', 'One purchase with test money', 'Somebody sees new orders'])
      await expect(step(done)).toHaveAttribute('data-done', 'yes')
    for (const [open, reason] of [
      ['A way to reach you', 'Write a telephone number or an e-mail address'],
      ['Your site or page is reviewed', 'Say where you sell'],
    ] as const) {
      await expect(step(open)).toHaveAttribute('data-done', 'no')
      await expect(step(open)).toContainText(reason)
    }
  })

  await desk.goto(at('accounts'))
  faults.push(...(await look(desk, 'accounts')))
  await desk.locator('a.row').first().click()
  await desk.getByRole('button', { name: 'Test the account' }).click()
  await expect(desk.locator('.findings')).toBeVisible()
  faults.push(...(await look(desk, 'account')))
  await desk.goto(at('approvals'))
  faults.push(...(await look(desk, 'approvals')))
  for (const [path, locale] of [
    ['desk', 'hy'],
    [`shops/${dead.merchantId}/events?day=today`, 'ru'],
    ['accounts', 'ru'],
  ] as const) {
    await desk.goto(`${at(path)}${path.includes('?') ? '&' : '?'}locale=${locale}`)
    faults.push(...(await look(desk, `${path.replaceAll(/\W/g, '-')}-${locale}`)))
  }
  // Without a script the same screens are complete.
  const without = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await context.storageState(),
  })
  const plain = await without.newPage()
  await plain.goto(`${at('desk')}?locale=en`)
  await expect(plain.getByRole('heading', { level: 1 })).toHaveText('The desk')
  for (const fault of await phoneFaults(plain)) faults.push(`plain: ${fault}`)
  await without.close()
  await context.close()
  receiver.close()
  expect(faults).toEqual([])
  expect(complaints).toEqual([])
  console.info(JSON.stringify({ taps, seconds }))
  // The numbers of the guide are those of this test.
  const inGuide = Object.fromEntries(
    Object.entries(TASKS).map(([name, title]) => [name, Number(guideRow(title)?.split('|')[2])]),
  )
  expect(taps).toEqual(inGuide)
})
