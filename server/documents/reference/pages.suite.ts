import { execFile, execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PaymentOperation } from '../../contract/operation.ts'
import { ERRORS } from '../../errors.ts'
import { ENDPOINTS } from '../../http/endpoints/index.ts'
import { openApiDocument } from '../../http/openapi/document.ts'
import { EXAMPLE_EVENT } from '../../http/openapi/examples.ts'
import { operationOf } from '../../http/openapi/operations.ts'
import { clickWidget, lookUp } from '../../testing/calls.ts'
import { type Interpreter, type Runner, startInterpreter } from '../../testing/documents/interpreter.ts'
import { type Kassa, openShop, SHOP_ORIGIN, type Shop, startKassa } from '../../testing/harness.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { type Scene, setScene } from '../../testing/scene/endpoint.ts'
import { KIT_FILES } from './kits.ts'
import { referencePages } from './pages.ts'
import { LANGUAGES } from './samples.ts'

const run = promisify(execFile)
const SECRET = 'whsec_c2VjcmV0'

/** How each language's example is run. `verify`: the end that is added to an event's verifier, with the body and the header. */
const RUNNERS: Record<string, { command: string; args: string[]; needs?: string[]; verify: string }> = {
  curl: { command: 'bash', args: ['-c'], needs: ['-c', 'command -v curl'], verify: '' },
  node: {
    command: process.execPath,
    args: ['--input-type=module', '-e'],
    verify:
      '\nconsole.log(readEvent(process.argv.at(-2), { "x-service-signature": process.argv.at(-1) }).id)',
  },
  python: {
    command: 'python3',
    args: ['-c'],
    verify:
      '\nimport sys\nprint(read_event(sys.argv[1].encode(), {"X-SERVICE-Signature": sys.argv[2]})["id"])',
  },
  php: {
    command: 'php',
    args: ['-r'],
    needs: ['-r', 'exit(function_exists("curl_init") ? 0 : 1);'],
    verify: '\necho read_event($argv[1], ["HTTP_X_SERVICE_SIGNATURE" => $argv[2]])["id"];',
  },
}

/** A program runs where the client of its language is. */
function runnerOf(language: string): Runner {
  const { command = '', args = [] } = RUNNERS[language] ?? {}
  return {
    command,
    args,
    cwd: fileURLToPath(new URL(`../../clients/${language === 'curl' ? '' : language}`, import.meta.url)),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PYTHONDONTWRITEBYTECODE: '1' },
  }
}

function isThere(command: string, needs = ['--version']): boolean {
  try {
    execFileSync(command, needs, { stdio: 'ignore' })
    return true
  } catch {
    console.info(`Examples for ${command} are not run: it, or what they need of it, is not on this machine.`)
    return false
  }
}
const there = Object.fromEntries(
  Object.entries(RUNNERS).map(([id, { command, needs }]) => [id, isThere(command, needs)]),
)

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }
const plain = (text: string) => text.replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name) => ENTITIES[name] ?? '')

/** What a program says that ends by an error. */
const refusal = (message: string) => ({
  stderr: expect.stringMatching(new RegExp(`(Error|Exception): ${message}`)),
})

/** `languages`: those whose examples are run. `isRun`: whether the example of this operation is one of them. */
export function testReference(
  languages: readonly string[],
  isRun: (operation: string) => boolean = () => true,
): void {
  let kassa: Kassa
  let shop: Shop
  /** Every page of the reference as it is served, one after the other. */
  let html: string
  let response: Response
  /** The examples of the served pages in every language, by their name and language. */
  const found = new Map<string, string>()
  const PATHS = referencePages(openApiDocument('https://pay.example')).map(({ path }) => path)
  beforeAll(async () => {
    kassa = await startKassa()
    shop = await openShop(kassa.ctx)
    response = await fetch(`${kassa.url}/docs/api/events`)
    for (const { id } of LANGUAGES) {
      const pages: string[] = []
      for (const path of PATHS) {
        // Compressing all pages would take longer than writing them.
        const page = await fetch(`${kassa.url}${path}?in=${id}`, {
          headers: { 'accept-encoding': 'identity' },
        })
        pages.push(await page.text())
      }
      html = pages.join('\n')
      const blocks = html.matchAll(/data-sample="([^"]+)"[^>]*><code>([\s\S]*?)<\/code>/g)
      for (const [, name = '', text = ''] of blocks) found.set(name, plain(text))
    }
  })
  afterAll(() => kassa.close())

  /** Runs an example as the page has it, with the reader's own token in the environment. */
  async function runExample(
    name: string,
    language: string,
    {
      token,
      replace,
      interpreter,
    }: { token: string; replace: [string, string][]; interpreter: Interpreter | null },
  ): Promise<string> {
    const text = replace.reduce(
      (all, [from, to]) => all.replaceAll(from, to),
      found.get(`${name}.${language}`) ?? '',
    )
    expect(text).not.toBe('')
    const program = language === 'php' ? text.replace(/^<\?php\n/, '') : text
    if (interpreter) return interpreter.run(program, token)
    const { command, args, cwd, env } = runnerOf(language)
    const { stdout } = await run(command, [...args, program], { cwd, env: { ...env, KASSA_TOKEN: token } })
    return stdout
  }

  /** What the page says that a reader puts something of their own in place of. */
  function namedOnPage(id: string): string[] {
    const [, section = ''] = html.split(`<section id="${id}"`)
    const note = /<p class="yours">(.*?)<\/p>/.exec(section.split('</section>')[0] ?? '')?.[1] ?? ''
    return [...note.matchAll(/<code>(.*?)<\/code>/g)].map(([, value = '']) => plain(value))
  }

  /** The ids of the example's story that the page names, and those of a request that succeeds. */
  function realIds({ endpoint, valid, shop }: Scene): [string, string][] {
    const { example, id } = operationOf(endpoint)
    const idsOf = (request: { path?: object; params?: object; query?: object; body?: object } = {}) => {
      const { paymentTokenId } = (request.body ?? {}) as { paymentTokenId?: string }
      return {
        ...request.path,
        ...request.params,
        ...request.query,
        ...(paymentTokenId && { paymentTokenId }),
      }
    }
    const real: Record<string, string> = idsOf(valid)
    const shown = Object.entries<string>(idsOf(example))
    const all: [string, string][] = [
      ...shown.map(([name, id]): [string, string] => [id, real[name] ?? '']),
      ['kpk_YOUR_PUBLIC_KEY', shop.publicKey],
    ]
    const named = namedOnPage(id)
    return all.filter(([value]) => named.includes(value))
  }

  describe.each(languages)('the examples in %s', (language) => {
    const { command } = runnerOf(language)
    let interpreter: Interpreter | null = null
    beforeAll(() => {
      if (there[language]) interpreter = startInterpreter(language, runnerOf(language))
    })
    afterAll(() => interpreter?.close())

    for (const endpoint of ENDPOINTS.filter((each) => isRun(operationOf(each).id))) {
      const { id } = operationOf(endpoint)
      test.runIf(there[language])(`${id} runs with no more than what the page says to put in`, async () => {
        const scene = await setScene(kassa, endpoint)
        const output = await runExample(id, language, {
          token: scene.shop.token,
          replace: realIds(scene),
          interpreter,
        })
        // An operation that is looked up is the whole response.
        const isWhole = endpoint.response === PaymentOperation
        expect(output).toMatch(isWhole ? /id['"\]]*(:| =>) ?['"]opr_/ : /ok['"\]]*(:| =>) ?([tT]rue|1)/)
      })
    }

    test.runIf(there.curl && isThere(command, ['--version']))(
      'the first call of the quickstart works as it is pasted into a shell',
      async () => {
        const cwd = await mkdtemp(join(tmpdir(), 'kassa-quickstart-'))
        const block = found.get(`first-call.${language}`) ?? ''
        const env = { PATH: process.env.PATH, HOME: cwd, KASSA_TOKEN: shop.token }
        const { stdout } = await run('bash', ['-c', block], { cwd, env })
        expect(stdout).toContain(`${kassa.url}/checkout/`)
        await rm(cwd, { recursive: true })
      },
    )

    test.runIf(there[language] && language !== 'curl')(
      'the verifier takes a signed event and nothing else',
      async () => {
        const { command, args, cwd, env } = runnerOf(language)
        const body = JSON.stringify(EXAMPLE_EVENT)
        const sign = (t: number, secret = SECRET) =>
          `t=${t},v1=${'0'.repeat(64)},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
        const program = `${found.get(`verify-event.${language}`)?.replace(/^<\?php\n/, '')}${RUNNERS[language]?.verify}`
        const check = (...given: string[]) =>
          run(command, [...args, program, ...given], { cwd, env: { ...env, KASSA_WEBHOOK_SECRET: SECRET } })
        const now = Math.floor(Date.now() / 1000)
        expect((await check(body, sign(now))).stdout.trim()).toBe(EXAMPLE_EVENT.id)
        const wrong = refusal('No signature fits')
        await expect(check(body.replace('paid', 'Paid'), sign(now))).rejects.toMatchObject(wrong)
        await expect(check(body, sign(now, `${SECRET}x`))).rejects.toMatchObject(wrong)
        await expect(check(body, sign(now - 301))).rejects.toMatchObject(refusal('It was signed'))
      },
    )
  })

  describe('the reference', () => {
    test('needs no script and no other origin, and allows only the script of the copy buttons', () => {
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self';")
      expect([...new Set(html.match(/<script[^>]*>[^<]*/g))]).toEqual([
        expect.stringMatching(/^<script defer src="\/docs\.js"[^>]*>$/),
      ])
      expect(html).not.toMatch(/\son\w+=|\sstyle=/)
      const loaded = [...html.matchAll(/<(?:link|img)[^>]+(?:href|src)="([^"]+)"/g)].map(
        ([, address]) => address,
      )
      expect(loaded.every((address) => /^\/[\w.-]+$/.test(address ?? ''))).toBe(true)
    })

    test('names every endpoint, every error code and the fields of the document', () => {
      for (const endpoint of ENDPOINTS) expect(html).toContain(`id="${operationOf(endpoint).id}"`)
      for (const code of Object.keys(ERRORS)) expect(html).toContain(`id="error-${code}"`)
      for (const field of ['merchantOrderId', 'clientReference', 'Idempotency-Key'])
        expect(html).toContain(field)
      expect(html).not.toContain('undefined')
      expect(html).not.toMatch(/(<th[^>]*>|-label=")[^<"]*`/)
      expect(html).not.toMatch(/data-label="What to do"><span><\/span>/)
    })

    test('names no command that only the operator has', () => {
      const texts = [html.replaceAll('&quot;', '"'), ...KIT_FILES.map(({ text }) => text)]
      for (const text of texts)
        expect(text).not.toMatch(/npm run|callback (set|verify|rotate-secret)|event (listen|replay)/)
    })

    test('says all that the metadata of a sale of the button and of a subscription’s charge hold', async () => {
      const { body: sold } = await clickWidget(kassa.url, shop)
      const request = subscriptionRequest(await openToken(kassa.url, shop))
      const { body } = await createSubscription(kassa.url, shop, { body: request })
      await sweep(kassa)
      const { rows } = await kassa.ctx.db.query(
        `select id from sandbox.payments where merchant_id = $1 and metadata->>'subscriptionId' = $2`,
        [shop.merchantId, body.subscription.id],
      )
      for (const [section, id] of [
        ['button-payments', sold.paymentId],
        ['subscription-payments', rows[0].id],
      ]) {
        const text = plain(html.split(`<section id="${section}"`)[1]?.split('</section>')[0] ?? '')
        const { metadata } = (await lookUp(kassa.url, shop, id)).body
        for (const name of Object.keys(metadata)) expect(text).toContain(`"${name}": `)
        expect(text).toContain(`"source": "${metadata.source}"`)
      }
    })

    test('states the limits of this very server', async () => {
      const limited = await startKassa({ settings: { RATE_LIMITS: 'write=7:13' } })
      const page = await (await fetch(`${limited.url}/docs/api/limits`)).text()
      await limited.close()
      expect(html).toContain('Rate limits are switched off on this server.')
      expect(page).toMatch(/requests that create something, for each token.*?>13<.*?>7 a second</)
    })

    test('shows no secret of this server', () => {
      expect(html).not.toContain(shop.token)
      expect(html).not.toContain(shop.webhookSecret)
      expect(html).toContain(SHOP_ORIGIN)
    })
  })
}
