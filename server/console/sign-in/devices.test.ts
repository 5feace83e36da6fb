/** A stranger who knows an e-mail address cannot keep its owner out: a browser that has signed in before has tries of its own. */
import { expect, test, vi } from 'vitest'
import { findDevice } from '../../access/devices.ts'
import { codeAt } from '../../access/one-time-code.ts'
import { addUser, changeUser } from '../../access/users.ts'
import { systemClock } from '../../context.ts'
import { findPassword, type PasswordRecord } from '../../storage/access/credentials.ts'
import { makePasswordsCheap } from '../../testing/cheap-passwords.ts'
import { openBrowser, type TestBrowser } from '../../testing/console.ts'
import { openConsole } from '../../testing/scene/console.ts'

const PASSWORD = 'four words of mountain tea'
/** Of a person, for all strangers together, and for each known browser. */
const TRIES = 2
makePasswordsCheap()
const { kassa, desk } = await openConsole({
  settings: { RATE_LIMITS: `sign_in=1000:1000,page=1000:1000,sign_in_user=0.001:${TRIES}` },
})

type Person = { email: string; id: string; own: TestBrowser; secret: string }

async function setUp(link: string | null): Promise<{ own: TestBrowser; secret: string }> {
  const own = openBrowser(desk)
  const path = new URL(link ?? '').pathname
  const [, spaced = ''] = /<code class="secret">([A-Z2-7 ]+)</.exec((await own.get(path)).text) ?? []
  const secret = spaced.replaceAll(' ', '')
  const code = codeAt(secret, new Date())
  expect((await own.post(path, { password: PASSWORD, code })).status).toBe(200)
  own.cookies.delete('kassa_console_session')
  return { own, secret }
}
async function add(name: string): Promise<Person> {
  const email = `${name.toLowerCase()}@pay.example`
  const { link, operator } = await addUser(kassa.ctx, { name, role: 'administrator', email })
  return { email, id: operator.id, ...(await setUp(link)) }
}
const begin = async (browser: TestBrowser, { email }: Pick<Person, 'email'>, password = PASSWORD) =>
  (await browser.post('/sign-in', { email, password })).status
const sendCode = async (browser: TestBrowser, code: string) =>
  (await browser.post('/sign-in/code', { code })).status
/** The code of the next step, because that of the present one has set up. It is good for half a minute at least. */
const nextCode = ({ secret }: Person) => codeAt(secret, new Date(Date.now() + 30_000))
async function exhaust(person: Person, browser = openBrowser(desk), left = TRIES): Promise<void> {
  for (let tries = 0; tries < left; tries++) expect(await begin(browser, person, 'wrong')).toBe(422)
  expect(await begin(browser, person, PASSWORD)).toBe(429)
}
const deviceOf = ({ own }: Person) => {
  const [name = '', value = ''] = [...own.cookies].find(([each]) => each.includes('device')) ?? []
  return { name, value }
}
const withCookie = (name: string, value: string) => {
  const browser = openBrowser(desk)
  browser.cookies.set(name, value)
  return browser
}

test('a stranger uses up the tries of strangers, and the known browser signs in', async () => {
  const person = await add('Ani')
  await exhaust(person)
  expect(await begin(openBrowser(desk), person)).toBe(429)
  expect(await begin(person.own, person)).toBe(303)
  expect(await sendCode(person.own, nextCode(person))).toBe(303)
  expect((await person.own.get('/')).location).toBe('/sandbox/today')
})

test('a stranger who knows the password uses up no codes of the known browser', async () => {
  const person = await add('Bella')
  const stranger = openBrowser(desk)
  expect(await begin(stranger, person)).toBe(303)
  for (let tries = 0; tries < TRIES; tries++) expect(await sendCode(stranger, '000000')).toBe(422)
  expect(await sendCode(stranger, nextCode(person))).toBe(429)
  expect(await begin(person.own, person)).toBe(303)
  expect(await sendCode(person.own, nextCode(person))).toBe(303)
})

test('the known browser may not guess without end either, and holds up nobody', async () => {
  const person = await add('Carl')
  await exhaust(person, person.own)
  expect(await begin(openBrowser(desk), person)).toBe(303)
})

test('the cookie lasts half a year, no script reads it, and it opens nothing by itself', async () => {
  const person = await add('Dora')
  await begin(person.own, person)
  const { headers } = await person.own.post('/sign-in/code', { code: nextCode(person) })
  const line = headers.getSetCookie().find((each) => each.includes('device'))
  expect(line).toMatch(/Max-Age=15552000; Path=\/; .*HttpOnly; SameSite=Strict/)
  expect(line).not.toContain(person.id)
  const { name, value } = deviceOf(person)
  expect((await withCookie(name, value).get('/')).location).toBe('/sign-in')
  expect((await withCookie('kassa_console_session', value).get('/')).location).toBe('/sign-in')
})

test('a cookie of another person, and a forged one, give nothing', async () => {
  const [person, thief] = [await add('Edgar'), await add('Frida')]
  await exhaust(person)
  const { name, value } = deviceOf(person)
  const [id = '', expires = '', mark = ''] = value.split('.')
  const other = 'A'.repeat(id.length)
  for (const forged of [
    deviceOf(thief).value,
    `${other}.${expires}.${mark}`,
    `${id}.${Number(expires) + 1}.${mark}`,
    `${id}.${expires}.${'A'.repeat(mark.length)}`,
    `${id}.${expires}.`,
    `${id}.${expires}`,
    '..',
  ])
    expect([forged, await begin(withCookie(name, forged), person)]).toEqual([forged, 429])
  // Under its own name it is only the thief's.
  const { name: foreign, value: own } = deviceOf(thief)
  expect(await begin(withCookie(foreign, own), person)).toBe(429)
  expect(await begin(withCookie(name, value), person)).toBe(303)
})

test('two people who share a browser are both known there', async () => {
  const [one, two] = [await add('Gohar'), await add('Hayk')]
  await begin(one.own, two)
  await sendCode(one.own, nextCode(two))
  await exhaust(one)
  // The browser was a stranger to the second person once.
  await exhaust(two, openBrowser(desk), TRIES - 1)
  expect([await begin(one.own, one), await begin(one.own, two)]).toEqual([303, 303])
})

test('a person who gets a new link is known nowhere, also with the same password as before', async () => {
  const person = await add('Ivan')
  const { link } = await changeUser(kassa.ctx, 'Ivan', { ends: true })
  await setUp(link)
  await exhaust(person)
  expect(await begin(person.own, person)).toBe(429)
})

test('after half a year without a sign-in a browser is a stranger', async () => {
  const person = await add('Jana')
  const password = (await findPassword(kassa.ctx.db, person.id)) as PasswordRecord
  const { value } = deviceOf(person)
  const known = () => findDevice(kassa.ctx, password, () => value)
  expect(known()).not.toBeNull()
  const later = systemClock.now().getTime() + 181 * 86_400_000
  const clock = vi.spyOn(systemClock, 'now').mockReturnValue(new Date(later))
  expect(known()).toBeNull()
  clock.mockRestore()
})
