import { expect, test } from 'vitest'
import { ATTRIBUTES, explainUnreachable, httpOrigin, parseConfig, type WidgetConfig } from './config.ts'

const parse = (
  attributes: Record<string, string>,
  scriptOrigin?: string,
  languages: (string | null)[] = [],
) => parseConfig((name) => attributes[name] ?? null, scriptOrigin, languages)

const whole = { 'public-key': 'kpk_1', 'product-id': 'tea' }

test('a key, a product and the script tag are enough', () => {
  expect(parse(whole, 'https://pay.example')).toEqual({
    apiOrigin: 'https://pay.example',
    publicKey: 'kpk_1',
    productId: 'tea',
    locale: 'en',
  })
})

test('every attribute reaches the configuration, trimmed', () => {
  const attributes = Object.fromEntries(ATTRIBUTES.map((name) => [name, ` ${name} `]))
  expect(parse({ ...attributes, endpoint: 'http://localhost:3000/x', locale: 'ka' })).toEqual({
    apiOrigin: 'http://localhost:3000',
    publicKey: 'public-key',
    productId: 'product-id',
    productName: 'product-name',
    returnUrl: 'return-url',
    order: 'client-reference',
    price: 'price',
    label: 'label',
    locale: 'ka',
    target: 'target',
    texts: 'texts',
  })
})

test('the problem names every attribute that is missing and shows how to write it', () => {
  const problem = parse({ 'public-key': '  ' })
  expect(problem).toMatch(/^Missing or wrong: public-key, product-id, endpoint\./)
  expect(problem).toContain('<kassa-pay public-key="kpk_..." product-id="tea"')
})

test.each([
  'javascript:alert(1)',
  'ftp://pay.example',
  '//pay.example',
  'pay.example',
  'blob:https://pay.example/1',
])('the endpoint %s is reported, and the script’s origin does not replace it', (endpoint) => {
  expect(parse({ ...whole, endpoint }, 'https://pay.example')).toMatch(/endpoint/)
})

test('the locale attribute has priority over the page, and the page over the browser', () => {
  const locale = (own: string, ...around: (string | null)[]) =>
    (parse({ ...whole, locale: own }, 'https://pay.example', around) as WidgetConfig).locale
  expect(locale('fr', 'de', 'ru')).toBe('fr')
  expect(locale('', 'de-AT', 'ru')).toBe('de')
  expect(locale('', null, 'ru-RU')).toBe('ru')
  expect(locale('', 'nl', 'ja')).toBe('en')
})

test('only http and https addresses have an origin', () => {
  expect(httpOrigin('https://Pay.Example:443/widget/v1/kassa.js')).toBe('https://pay.example')
  expect(httpOrigin('data:text/javascript,1')).toBeUndefined()
  expect(httpOrigin('')).toBeUndefined()
  expect(httpOrigin(undefined)).toBeUndefined()
})

test('the message about an unreachable server names the server, the origin, the key and the install page', () => {
  const config = parse(whole, 'https://pay.example') as WidgetConfig
  const message = explainUnreachable(config, 'https://shop.example')
  expect(message).toContain('connect-src https://pay.example,')
  expect(message).toContain('the origin https://shop.example is not registered for the key kpk_1.')
  expect(message).toContain(' https://pay.example/install/kpk_1?site=https://shop.example ')
})

test('no message names a shell or an operator’s command', () => {
  const config = parse(whole, 'https://pay.example') as WidgetConfig
  const messages = [String(parse({})), explainUnreachable(config, 'https://shop.example')]
  for (const message of messages) expect(message).not.toMatch(/npm|npx|admin|--\w|\$ /)
})
