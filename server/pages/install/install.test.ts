import { expect, test } from 'vitest'
import { setBranding } from '../../merchants/branding.ts'
import { createInstallation, revokeInstallation } from '../../merchants/installation.ts'
import { setProduct } from '../../merchants/product.ts'
import { translate } from '../../messages/translate.ts'
import { createMerchant } from '../../operator/create-merchant.ts'
import { openShop, SHOP_ORIGIN } from '../../testing/harness.ts'
import { openScene } from '../../testing/scene.ts'
import { contrastOf } from '../brand/style.ts'
import { LOCALES } from '../words/locale.ts'

const { kassa, shop } = await openScene()

const open = (key: string, query = '') => fetch(`${kassa.url}/install/${key}${query}`)

test('the install page contains no secret and nothing of other merchants, for any request', async () => {
  const neighbour = await createMerchant(kassa.ctx, { name: 'Neighbour' })
  const rest = { name: 'Theirs', amountMinor: 100, currency: 'USD', provider: 'route_b' } as const
  await setProduct(kassa.ctx, { merchantId: neighbour.merchantId, id: 'theirs', ...rest })
  const queries = [
    '',
    '?product=theirs',
    '?site=https://other.example&csp=x&back=/y',
    `?site=${SHOP_ORIGIN}&locale=ru`,
  ]
  const answers = await Promise.all(queries.map((query) => open(shop.publicKey, query)))
  for (const answer of answers) {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toMatch(
      /script-src 'self';.*connect-src \S+\/install\/$/,
    )
    const text = await answer.text()
    expect(text).toContain('noindex')
    for (const secret of [
      shop.token,
      shop.webhookSecret,
      shop.merchantId,
      shop.installationId,
      neighbour.merchantId,
    ])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(
      /ksk_|whsec_|mer_|ins_|Neighbour|Theirs|route_|<script(?! type="module")|style="/,
    )
  }
})

test('for an origin that is not allowed the page shows a request to send, and never a command', async () => {
  const text = await (await open(shop.publicKey, '?site=https://other.example')).text()
  expect(text).toContain(
    `Please allow the origin https://other.example for the public key ${shop.publicKey}.`,
  )
  expect(text).not.toMatch(/npm run|admin --|--installation/)
})

test('an address with a path is checked by its origin, and its spelling is not a finding', async () => {
  const text = await (await post('', { site: 'https://other.example/tea?x=1' })).text()
  expect(text).toContain('data-finding="originUnknown"')
  expect(text).toContain('Please allow the origin https://other.example for')
  expect(text).not.toMatch(/data-finding="(?:spelledOtherwise|because|adviceAllow)/)
})

test.each(LOCALES)(
  'colours that make the text hard to read get a warning in %s, and others none',
  async (locale) => {
    const contrastLight = translate(locale, 'install.contrastLight')
    const contrastDark = translate(locale, 'install.contrastDark')
    const warnings = async (colours: Record<string, string>) => {
      const text = await (
        await open(shop.publicKey, `?${new URLSearchParams({ locale, ...colours })}`)
      ).text()
      return [contrastLight, contrastDark].filter((warning) => text.includes(warning))
    }
    expect(await warnings({})).toEqual([])
    expect(await warnings({ background: '#ffe066', text: '#ffffff' })).toEqual([contrastLight])
    expect(await warnings({ backgroundDark: '#203040', textDark: '#304050' })).toEqual([contrastDark])
  },
)

test('an unknown key and a revoked one get the same page', async () => {
  const gone = await openShop(kassa.ctx)
  await revokeInstallation(kassa.ctx, gone.installationId)
  const [unknown, withdrawn] = await Promise.all(['kpk_none', gone.publicKey].map((key) => open(key)))
  expect([unknown?.status, withdrawn?.status]).toEqual([404, 404])
  const plain = async (answer?: Response) => (await answer?.text())?.replaceAll(/kpk_[\w-]+/g, '')
  expect(await plain(unknown)).toBe(await plain(withdrawn))
})

test('without a script and without a button, a shop can still choose between its products', async () => {
  const { publicKey } = await createInstallation(kassa.ctx, {
    merchantId: shop.merchantId,
    origins: [],
    page: 'https://social.example/potter',
  })
  const text = await (await open(publicKey)).text()
  expect(text).toMatch(/<select[^>]* name="product"[\s\S]*?<button[^>]* type="submit"[\s\S]*?id="share"/)
})

test('with very many products the page and the poster list 100, say how to get another, and show it', async () => {
  const large = await openShop(kassa.ctx)
  await kassa.ctx.db.query(
    `insert into sandbox.products (merchant_id, id, name, amount_minor, currency, updated_at, removed_at)
     select $1, case when n <= 1200 then 'gone-' else 'many-' end || lpad(n::text, 6, '0'), 'Thing ' || n, 100, 'USD', now(),
       case when n <= 1200 then now() end from generate_series(1, 4000) n`,
    [large.merchantId],
  )
  // The removed product comes first.
  await kassa.ctx.db.query(
    `update sandbox.products set removed_at = now() where merchant_id = $1 and id in ('tea', 'cup')`,
    [large.merchantId],
  )
  const optionsIn = (text: string) => text.match(/<option value="many-/g)?.length
  for (const path of ['', '/poster']) {
    const first = await (await open(large.publicKey, `${path}?locale=en`)).text()
    expect([path, optionsIn(first), first.length < 120_000]).toEqual([path, 100, true])
    expect(first).toContain('write ?product= and its key at the end')
    const withProduct = await (await open(large.publicKey, `${path}?product=many-004000`)).text()
    expect(optionsIn(withProduct)).toBe(101)
    expect(withProduct).toContain(`/pay/${large.publicKey}/many-004000`)
    expect((await open(large.publicKey, `${path}?product=%00`)).status).toBe(200)
    expect(await (await open(shop.publicKey, path)).text()).not.toContain('more-products')
  }
  const code = `<kassa-pay public-key="${large.publicKey}" product-id="many-003999"></kassa-pay>`
  const check = async (text: string) =>
    (
      await fetch(`${kassa.url}/install/${large.publicKey}`, {
        method: 'POST',
        body: new URLSearchParams({ code: text }),
      })
    ).text()
  expect(await check(code)).not.toContain('data-finding="snippetProduct"')
  expect(await check(code.replace('003999', '009999'))).toContain('data-finding="snippetProduct"')
})

test('invalid options are ignored', async () => {
  const odd = '?product=none&language=__proto__&background=red&radius=-1&version=x&label=%20&site=%00'
  const [plain, withQuery] = await Promise.all([open(shop.publicKey), open(shop.publicKey, odd)])
  const code = async (answer: Response) =>
    /<code id="snippet-html".*?<\/code>/s.exec(await answer.text())?.[0]
  expect(withQuery.status).toBe(200)
  expect(await code(withQuery)).toBe(await code(plain))
})

test("the button has the shop's colour, until the visitor chooses another", async () => {
  const branded = await openShop(kassa.ctx)
  await setBranding(kassa.ctx, branded.merchantId, { colour: '#17433c' })
  const code = async (query = '') => (await open(branded.publicKey, query)).text()
  const [, light, dark = ''] = /--kassa-pay-bg: light-dark\((#\w+), (#\w+)\)/.exec(await code()) ?? []
  expect(light).toBe('#17433c')
  // A dark page would swallow the colour itself.
  expect(contrastOf(dark, '#151210')).toBeGreaterThan(4.5)
  expect(await code('?background=%23552200')).toContain('--kassa-pay-bg: light-dark(#552200')
})

test('a merchant without products gets the page without snippets', async () => {
  const { merchantId } = await createMerchant(kassa.ctx, { name: '<b>New</b>' })
  const { publicKey } = await createInstallation(kassa.ctx, { merchantId, origins: ['https://new.example'] })
  const text = await (await open(publicKey)).text()
  expect(text).toContain('&lt;b>New&lt;/b>')
  expect(text).toContain('There is nothing to sell yet')
  expect(text).not.toContain('snippet-html')
})

const post = (query: string, form: Record<string, string>) =>
  fetch(`${kassa.url}/install/${shop.publicKey}${query}`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })

test('no address of the doctor’s response contains what was typed, and the response is not cached', async () => {
  const secret = 'ksk_live_0123456789'
  const entered = { site: `${SHOP_ORIGIN}/page?${secret}`, back: `/${secret}`, code: secret, csp: secret }
  const answer = await post('?product=tea&locale=ru', entered)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const text = await answer.text()
  expect(text).toContain('data-finding="snippetSecret"')
  const addresses = [...text.matchAll(/(?:href|action|src)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses.filter((each) => each?.includes(secret))).toEqual([])
  // The options and the origin stay, for another language and for the next check.
  const site = encodeURIComponent(SHOP_ORIGIN)
  expect(addresses).toContain(`/install/${shop.publicKey}?product=tea&amp;locale=hy&amp;site=${site}`)
  expect(text).toContain(`<input type="hidden" name="site" value="${SHOP_ORIGIN}"/>`)
})

test('an invalid origin is in no address either', async () => {
  const text = await (await post('', { site: 'ksk_live_0123456789' })).text()
  expect(text).not.toMatch(/(?:href|action)="[^"]*ksk_live/)
  expect(text).not.toContain('type="hidden" name="site"')
})

test('the doctor reads a long policy and a long snippet, and says on a page what is too long', async () => {
  const long = await post('', { site: SHOP_ORIGIN, code: 'text '.repeat(2_500), csp: 'a '.repeat(3_000) })
  expect(long.status).toBe(200)
  expect(await long.text()).toContain('data-finding="snippetCut"')
  const longer = await post('?locale=ru', { site: SHOP_ORIGIN, code: 'x'.repeat(33_000) })
  expect([longer.status, longer.headers.get('cache-control')]).toEqual([413, 'no-store'])
  const text = await longer.text()
  expect(text).toContain('data-kind="too_long"')
  expect(text).toContain('lang="ru"')
})

test('the page accepts GET and POST, and both show the same page for an unknown key', async () => {
  const address = `${kassa.url}/install/${shop.publicKey}`
  const refused = await fetch(address, { method: 'PUT' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD'])
  expect((await fetch(`${kassa.url}/install/kpk_none`, { method: 'POST' })).status).toBe(404)
})

test('a key without a return URL: the snippet and the doctor use the guessed or the typed address', async () => {
  const { merchantId } = shop
  const { publicKey } = await createInstallation(kassa.ctx, { merchantId, origins: [SHOP_ORIGIN] })
  const page = `${kassa.url}/install/${publicKey}`
  const ask = async (query: string, site = SHOP_ORIGIN) => {
    const answer = await fetch(page + query, { method: 'POST', body: new URLSearchParams({ site }) })
    return await answer.text()
  }
  const guess = await ask('')
  expect(guess).toContain('return-url="/thanks"')
  expect(guess).toMatch(/data-weight="good" data-testid="result-return"/)
  expect(guess).toContain(`${SHOP_ORIGIN}/thanks`)
  const named = await ask('?return=/order')
  expect(named).toContain('return-url="/order"')
  expect(named).toContain(`${SHOP_ORIGIN}/order`)
  // An address that the key does not allow is reported, and is not written into the snippet.
  const astray = await ask(`?return=${encodeURIComponent('https://other.example/')}`)
  expect(astray).toMatch(/data-testid="return-fault">[^<]*https:\/\/other\.example/)
  expect(astray).not.toContain('return-url="https://other.example/"')
  expect(await ask('', 'https://other.example')).not.toContain('result-return')
})

test('a key with a return URL: the field shows it, and the snippet names only a different one', async () => {
  const field = (text: string) => /<input [^>]*name="return"[^>]*? value="([^"]*)"/.exec(text)?.[1]
  const plain = await (await open(shop.publicKey)).text()
  expect(field(plain)).toBe(`${SHOP_ORIGIN}/thanks`)
  expect(plain).not.toContain('return-url=')
  const other = await (await open(shop.publicKey, '?return=/order')).text()
  expect(field(other)).toBe('/order')
  expect(other).toContain('return-url="/order"')
})
