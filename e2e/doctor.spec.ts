/** Each mistake in a snippet or policy is tried in a real browser. The doctor must report it exactly if it stops the button. */
import type { Page } from '@playwright/test'
import { payButton } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

const ANSWER_WITHIN_MS = 60_000

type Attempt = {
  /** Makes the mistake. `html` and `tag` are the install page's two snippets of markup. */
  write?: (html: string, tag: string) => string
  policy?: (server: string) => string
  isElsewhere?: true
  /** The finding that the doctor must report. Absent if the button works. */
  finding?: string
}

const strict = (server: string) => `default-src 'none'; script-src ${server}; connect-src ${server}`
const fake = 'kpk_0000000000000000'

const ATTEMPTS: Record<string, Record<string, Attempt>> = {
  'without a mistake': {
    'as it is': {},
    'as one tag': { write: (_, tag) => `<h1>Tea</h1>${tag}` },
  },
  'with a mistake in its text': {
    'in curly quotes': { write: (html) => html.replaceAll(/"([^"]*)"/g, '“$1”'), finding: 'snippetQuotes' },
    'as text': { write: (html) => html.replaceAll('<', '&lt;'), finding: 'snippetEscaped' },
    'without its script': { write: (html) => html.replace(/<script[\s\S]*/, ''), finding: 'snippetNoScript' },
    'with another key': { write: (html) => html.replace(/kpk_[\w-]+/, fake), finding: 'snippetKey' },
  },
  'with a mistake in its attributes or its place': {
    'for a product that is not sold': {
      write: (html) => html.replace('product-id="tea"', 'product-id="mate"'),
      finding: 'snippetProduct',
    },
    'with the hash of another version': {
      write: (html) => html.replace(/sha384-..../, 'sha384-AAAA'),
      finding: 'snippetHash',
    },
    'with a hash and no crossorigin': {
      write: (html) => html.replace('crossorigin="anonymous"', ''),
      finding: 'snippetCrossOrigin',
    },
    'as a module that names the server': {
      write: (html) => html.replace('<script', '<script type="module"'),
    },
    'as a module that names no server': {
      write: (html) => html.replace('<script', '<script type="module"').replace(/ *endpoint="[^"]*"/, ''),
      finding: 'snippetModule',
    },
    'as one tag in the head': {
      write: (_, tag) => `<head>${tag}</head><body></body>`,
      finding: 'snippetHead',
    },
    'as one aimed tag in the head': {
      write: (_, tag) => `<head>${tag.replace('async', 'async data-target="#pay"')}</head><p id="pay">`,
    },
    'with a return elsewhere': {
      write: (html) => html.replace('<kassa-pay', '<kassa-pay return-url="https://other.example/"'),
      finding: 'returnForeign',
    },
    'on a page elsewhere': { isElsewhere: true, finding: 'originUnknown' },
  },
  'under a policy': {
    'under a policy that names the server': { policy: strict },
    'under Trusted Types': {
      policy: (server) => `${strict(server)}; require-trusted-types-for 'script'; trusted-types 'none'`,
    },
    'under a policy without its script': {
      policy: () => "script-src 'self'",
      finding: 'policyScriptBlocked',
    },
    'under a policy without its question': {
      policy: (server) => `default-src 'self'; script-src ${server}`,
      finding: 'policyConnectBlocked',
    },
  },
}

/** Returns whether a buyer who presses the button reaches the payment page. */
async function sells(page: Page): Promise<boolean> {
  // The load event comes after the scripts have run. A button that is missing now will not appear later.
  if ((await payButton(page).count()) === 0) return false
  await payButton(page).click()
  const refused = page.locator('kassa-pay a').waitFor({ timeout: ANSWER_WITHIN_MS })
  return Promise.race([
    page.waitForURL(/\/checkout\//, { timeout: ANSWER_WITHIN_MS }).then(() => true),
    refused.then(() => false),
  ])
}

/**
 * Returns the findings that stop the button, one list for each result that has any. The server writes them into the page, so no
 * browser has to load it. install.spec.ts reads them in a browser.
 */
async function askDoctor(install: string, query: Record<string, string>): Promise<string[][]> {
  const answer = await fetch(`${install}?${new URLSearchParams(query)}`)
  expect(answer.status).toBe(200)
  const results = (await answer.text()).split('<div class="result" ').slice(1)
  expect(results.length).toBeGreaterThan(1)
  return results
    .filter((result) => result.startsWith('data-weight="bad"'))
    .map((result) => [...result.matchAll(/<li data-finding="(\w+)"/g)].map(([, finding = '']) => finding))
}

/** The tests of a worker share its installation, so its two snippets are copied once. */
let snippets: Promise<string[]> | undefined

async function copySnippets(page: Page, install: string): Promise<string[]> {
  await page.goto(`${install}?product=tea`)
  return Promise.all(
    ['html', 'script'].map(async (each) => (await page.getByTestId(`snippet-${each}`).textContent()) ?? ''),
  )
}

for (const [group, attempts] of Object.entries(ATTEMPTS))
  test(`the doctor and the browser agree on every button ${group}`, { tag: '@long' }, async ({
    page,
    kassa,
    shop,
    stranger,
  }) => {
    const install = `${kassa.url}/install/${shop.account.publicKey}`
    snippets ??= copySnippets(page, install)
    const [html = '', tag = ''] = await snippets
    for (const [name, { write, policy, isElsewhere, finding }] of Object.entries(attempts)) {
      const site = isElsewhere ? stranger : shop
      const code = write ? write(html, tag) : html
      const csp = policy?.(kassa.url) ?? ''
      const meta = csp && `<meta http-equiv="Content-Security-Policy" content="${csp}">`
      site.pages.set('/tried', `<!doctype html><html lang="en"><title>Shop</title>${meta}${code}`)
      const stops = await askDoctor(install, { site: site.origin, code, csp })
      const expected = finding ? [expect.arrayContaining([finding])] : []
      expect([name, stops]).toEqual([name, expected])
      await page.goto(`${site.origin}/tried`)
      expect([name, await sells(page)]).toEqual([name, finding === undefined])
    }
  })

test('the doctor asks for an address if Check is pressed without one', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  await page.goto(`${kassa.url}/install/${shop.account.publicKey}`)
  await page.locator('#doctor-title > summary').click()
  await page.getByTestId('check').click()
  await expect(page.getByTestId('result-origin')).toContainText('Write the scheme and the host')
})
