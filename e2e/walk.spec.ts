/**
 * A potter sells by a poster, without a program and without a website: from nothing to the first real order and a refund of a part
 * of it, in a live deployment. An operator helps in one sitting at the start. From then on the potter does everything on a phone, in
 * the console. Once buyers transfer the money to the potter's bank account, and once they pay at Stripe, which is simulated. The
 * test writes a table of the steps. The guide on the order book has the same table.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type Browser, expect, type Page, test } from '@playwright/test'
import { type Deployment, Diary, startDeployment, stepsOfGuide } from './support/walk.ts'
import { Owner, openPhone } from './support/walk-owner.ts'

const BUYERS = { manual: 'narek@mail.example', route_a: 'nare@mail.example' }
const SHORT_NUMBER = /^[A-Z0-9]{4} [A-Z0-9]{4}$/
const GUIDE = new URL('../server/guides/order-book.md', import.meta.url)

const ROUTES = {
  manual: {
    name: 'Clay & Fire',
    owner: 'Ani',
    page: 'https://social.example/clay-and-fire',
    settings: ['RECIPIENT=Ani Petrosyan', 'ACCOUNT=DE89370400440532013000'],
    inGuide: 'by bank transfer',
  },
  route_a: {
    name: 'Clay & Water',
    owner: 'Lilit',
    page: 'https://social.example/clay-and-water',
    settings: [],
    inGuide: 'with Stripe',
  },
} as const
type RouteName = keyof typeof ROUTES

/** One deployment for both. */
test.describe.configure({ mode: 'default' })
let deployment: Deployment
test.beforeAll(async () => {
  deployment = await startDeployment()
  // The people who run the service have done this for earlier shops.
  const operator = ['--name', 'Gor', '--role', 'administrator', '--email', 'gor@pay.example']
  const { key } = await deployment.run('user', 'add', ...operator)
  await deployment.run('key', key)
})
test.afterAll(() => deployment.close())

for (const route of ['manual', 'route_a'] as const)
  test(
    `a potter sells by a poster, packs and returns a part, with the route ${route}`,
    { tag: '@long' },
    async ({ browser }, info) => {
      const diary = new Diary(deployment)
      // Also of a walk that stops halfway.
      await walk(browser, route, diary).finally(() => writeFile(info.outputPath('walk.md'), diary.table()))
      expectAsInGuide(diary, route)
    },
  )

async function walk(browser: Browser, route: RouteName, diary: Diary): Promise<void> {
  const owner = new Owner(diary, await openPhone(browser, deployment))
  const { link, email } = await setUp(diary, route)
  await begin(owner, { link, email })
  await tryInSandbox(diary, owner, { email, route })
  const poster = await owner.step('makes the real link and prints the poster', () => owner.makePoster())
  // One buyer has no scripts, and the other one no finger.
  const buyer = await openPhone(browser, deployment, route !== 'manual')
  const number = await buy(diary, buyer, { route, poster })
  if (route === 'manual') await confirm(owner, buyer, number)
  await packOrder(owner, email, number)
  await giveBack(owner, route)
  await expect(async () => {
    await buyer.reload()
    // Real time: one of many tries.
    await expect(buyer.getByTestId('checkout')).toContainText('€5.00', { timeout: 1_000 })
  }).toPass()
  expect((await deployment.mailTo(BUYERS[route], /€5.00/)).text).toContain('€5.00')
  await owner.phone.context().close()
  await buyer.context().close()
}

function expectAsInGuide(diary: Diary, route: RouteName): void {
  const minutes = `${diary.minutesOf('owner').toFixed(1)} minutes`
  const guide = readFileSync(GUIDE, 'utf8')
  const steps = diary.steps.map((step) => [
    ...[step.who, step.device, step.what],
    ...[step.commands, step.taps, step.fields],
  ])
  expect(steps).toEqual(stepsOfGuide(guide, ROUTES[route].inGuide))
  expect(guide).toContain(`${ROUTES[route].inGuide} ${minutes}`)
}

type Helped = { link: string; email: string }

/** What somebody who runs the service types once for a shop: the only time that the owner needs help. */
async function setUp(diary: Diary, route: RouteName): Promise<Helped> {
  const { name, owner, page, settings } = ROUTES[route]
  const email = `potter@${new URL(page).pathname.slice(1)}.example`
  return diary.step(
    'operator',
    'computer',
    'sets the shop up, reviews its page, lets the owner in',
    async () => {
      const { merchantId } = await diary.run('merchant', 'create', '--name', name)
      const merchant = ['--merchant', merchantId]
      await diary.run('merchant', 'brand', ...merchant, '--ask-email', 'yes', '--phone', '+374 10 123456')
      if (route === 'manual')
        await diary.run(
          'account',
          'set',
          ...merchant,
          '--route',
          route,
          '--driver',
          'manual',
          ...set(settings),
        )
      else {
        const { accountId } = await diary.run(
          ...['account', 'set', ...merchant, '--route', route, '--driver', 'stripe'],
          ...set(Object.entries(deployment.stripe).map((entry) => entry.join('='))),
        )
        const { callbackUrl } = await diary.run('account', 'show', '--account', accountId)
        await deployment.run('webhook', callbackUrl)
      }
      const product = ['--id', 'cup', '--name', 'Blue cup', '--amount', '30.00', '--currency', 'EUR']
      const fields = ['--field', 'name=required', 'phone=optional', 'address=required']
      const cup = ['product', 'set', ...merchant, ...product, ...fields]
      await diary.run(...cup, '--sandbox')
      await diary.run(...cup, '--live', ...(route === 'route_a' ? ['--route', route] : []))
      await diary.run('installation', 'create', ...merchant, '--page', page, '--sandbox')
      await diary.run('origin', 'approve', ...merchant, '--page', page)
      const person = ['--name', owner, '--role', 'shop', '--email', email, ...merchant]
      const { link } = await diary.run('user', 'add', ...person, '--refund-limit', '50.00 EUR')
      return { link, email }
    },
  )
}

const set = (settings: readonly string[]) => settings.flatMap((each) => ['--set', each])

async function begin(owner: Owner, { link, email }: Helped): Promise<void> {
  await owner.step('opens the operator’s link and signs in with a passkey', () => owner.signIn(link))
  await owner.step('keeps the orders in the console, and has news by mail', async () => {
    await owner.menu('My shop', 'Going live')
    await owner.press('Keep my orders here')
    await owner.sees('Orders are kept here from now on.')
    await owner.follow('Mails about orders')
    await owner.write('Mails go to', email)
    await owner.press('Save')
    await owner.sees('Saved.')
  })
}

async function fillIn(diary: Diary, page: Page, buyer: string): Promise<void> {
  await diary.type(page.getByLabel('Name'), 'Narek Vardanyan')
  await diary.type(page.getByLabel('Address', { exact: true }), '12 Abovyan Street, Yerevan')
  await diary.type(page.getByTestId('email'), buyer)
}

async function tryInSandbox(
  diary: Diary,
  owner: Owner,
  { email, route }: { email: string; route: RouteName },
): Promise<void> {
  const { phone } = owner
  await owner.step('buys from the own link with test money', async () => {
    await owner.back(ROUTES[route].name)
    await owner.follow('Going live')
    await owner.follow('Open my link')
    await owner.tap(phone.locator('.pay-link a'))
    await fillIn(diary, phone, email)
    await owner.tap(phone.getByTestId('pay'))
    await owner.tap(phone.locator('button[name="outcome"][value="paid"]'))
    await expect(phone.getByTestId('checkout')).toContainText('paid')
  })
  await owner.step('asks for the test mail, and presses the button behind its link', async () => {
    await owner.openConsole()
    await owner.menu('My shop', 'Going live')
    await owner.press('Send me the test mail')
    const mail = await deployment.mailTo(email, /test/)
    await owner.openLink(/https:\S+/.exec(mail.text)?.[0] ?? '')
    await owner.tap(phone.getByTestId('seen'))
    await owner.openConsole()
  })
}

/** The buyer scans the poster. Returns the number of the order. */
async function buy(
  diary: Diary,
  phone: Page,
  { route, poster }: { route: RouteName; poster: string },
): Promise<string> {
  await diary.step('buyer', 'phone', 'scans the poster, fills in three fields, goes on to pay', async () => {
    await diary.open(phone, poster)
    await fillIn(diary, phone, BUYERS[route])
    if (route === 'manual') await diary.tap(phone.getByTestId('pay'))
    else await goByKeyboard(diary, phone)
  })
  if (route === 'route_a')
    await diary.step('buyer', 'phone', 'pays at Stripe', async () => {
      await diary.tap(phone.getByRole('button', { name: 'Visa ···· 4242' }))
      await expect(phone.getByTestId('checkout')).toContainText('paid')
    })
  await expect(phone.getByTestId('checkout')).toBeVisible()
  const number = await phone.getByText(SHORT_NUMBER).first().innerText()
  expect((await deployment.mailTo(BUYERS[route], /€30.00/)).text).toContain(number)
  return number
}

async function goByKeyboard(diary: Diary, page: Page): Promise<void> {
  const isAt = (testId: string) => expect(page.getByTestId(testId)).toBeFocused()
  await page.getByTestId('email').focus()
  for (const next of ['buyer_name', 'buyer_phone', 'buyer_address', 'pay']) {
    await page.keyboard.press('Tab')
    await isAt(next)
  }
  await diary.press(page, 'Enter')
}

async function confirm(owner: Owner, buyer: Page, number: string): Promise<void> {
  const { phone } = owner
  await owner.step('sees the transfer at the bank and confirms it by its reference', async () => {
    await owner.openConsole()
    await owner.write('Find a payment', number)
    await owner.press('Show')
    await phone.waitForURL('**/live/payments?**')
    await owner.tap(phone.locator('.row'))
    await owner.follow('Confirm the money')
    await owner.decide({ Reference: 'RF18 5390' }, /^Confirm/)
    await owner.sees('The money is confirmed.')
  })
  await buyer.reload()
  await expect(buyer.getByTestId('checkout')).toContainText('paid')
}

async function packOrder(owner: Owner, email: string, number: string): Promise<void> {
  const { phone } = owner
  await owner.step('opens the order from the mail, packs it and prints the slip', async () => {
    const mail = await deployment.mailTo(email, /cup/)
    await owner.openLink(/https:\S+/.exec(mail.text)?.[0] ?? '')
    await expect(phone.getByText('12 Abovyan Street')).toBeVisible()
    await owner.press('Mark as packed')
    await owner.sees(`Order ${number}: packed.`)
    await owner.follow('Packing slip')
    await owner.print()
    await expect(phone.locator('.parcel')).toContainText('12 Abovyan Street')
  })
}

/** Where no provider can return money, the owner transfers it, and notes the transfer. */
async function giveBack(owner: Owner, route: RouteName): Promise<void> {
  const what = route === 'manual' ? 'notes the part that was transferred back' : 'returns a part'
  await owner.step(what, async () => {
    await owner.back('Order')
    await owner.follow('Look at the payment, or return money')
    await owner.follow(route === 'manual' ? 'Note money sent back' : 'Return money')
    if (route === 'manual')
      await owner.decide({ 'Amount in': '5.00', Reference: 'RF18 5391', Why: 'a crack' }, /^Note/)
    else await owner.decide({ 'Amount in': '5.00', Why: 'a crack' }, /^Return/)
    await owner.sees(route === 'manual' ? 'The transfer to the buyer is noted.' : 'The refund was requested')
  })
}
