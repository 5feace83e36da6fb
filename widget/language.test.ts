import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WidgetConfig } from './config.ts'
import { ENGLISH } from './messages.ts'

const GERMAN = { ...ENGLISH, pay: 'Jetzt %s bezahlen', failed: 'Zahlungsvorgangsinitialisierungsfehler' }
const config = (changes: Partial<WidgetConfig> = {}) =>
  ({ apiOrigin: 'https://pay.example', locale: 'de', ...changes }) as WidgetConfig

let requested: string[]
let answer: () => Promise<unknown>
let language: typeof import('./language.ts')
beforeEach(async () => {
  vi.useFakeTimers()
  vi.resetModules()
  requested = []
  answer = async () => Response.json(GERMAN)
  vi.stubGlobal('fetch', (address: string) => {
    requested.push(address)
    return answer()
  })
  language = await import('./language.ts')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('English asks for nothing', () => {
  language.loadTexts(config({ locale: 'en' }))
  expect([language.textsOf(config({ locale: 'en' })), requested]).toEqual([ENGLISH, []])
})

test('the texts of the snippet are enough, and those of another language are not', async () => {
  const texts = ['de', ...Object.values(GERMAN)].join('|')
  language.loadTexts(config({ texts }))
  expect([language.textsOf(config({ texts })), requested]).toEqual([GERMAN, []])
  const armenian = config({ texts, locale: 'hy' })
  language.loadTexts(armenian)
  await vi.advanceTimersByTimeAsync(0)
  expect(requested).toEqual(['https://pay.example/widget/v1/hy.json'])
})

test.each(['de|Jetzt', 'de', '', 'de||||||', `de|${Object.values(GERMAN).slice(1).join('|')}`])(
  'texts that are not whole are asked for: %j',
  async (texts) => {
    language.loadTexts(config({ texts }))
    await vi.advanceTimersByTimeAsync(0)
    expect(requested).toHaveLength(1)
  },
)

test('the file is asked for once, however many buttons there are', async () => {
  for (let buttons = 0; buttons < 3; buttons++) language.loadTexts(config())
  expect(language.textsOf(config())).toBeUndefined()
  await vi.waitFor(() => expect(language.textsOf(config())).toEqual(GERMAN))
  expect(requested).toEqual(['https://pay.example/widget/v1/de.json'])
})

test.each([
  ['cannot be loaded', async () => Promise.reject(new Error('offline'))],
  ['is missing', async () => new Response('not found', { status: 404 })],
  ['is not whole', async () => Response.json({ pay: 'Jetzt' })],
  ['has other values', async () => Response.json({ ...GERMAN, retry: 5 })],
  ['is null', async () => Response.json(null)],
])('a file that %s leaves the button in English', async (_, given) => {
  answer = given
  language.loadTexts(config())
  await vi.waitFor(() => expect(language.textsOf(config())).toEqual(ENGLISH))
})

test('a function of the page that throws in place of fetch leaves the button in English', async () => {
  answer = () => {
    throw new Error('blocked')
  }
  language.loadTexts(config())
  await vi.waitFor(() => expect(language.textsOf(config())).toEqual(ENGLISH))
})

test('after a second without an answer the button is in English, and its own texts replace them later', async () => {
  let arrive = (_: Response) => {}
  answer = () =>
    new Promise((done) => {
      arrive = done
    })
  language.loadTexts(config())
  await vi.advanceTimersByTimeAsync(999)
  expect(language.textsOf(config())).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(language.textsOf(config())).toEqual(ENGLISH)
  arrive(Response.json(GERMAN))
  await vi.waitFor(() => expect(language.textsOf(config())).toEqual(GERMAN))
})
