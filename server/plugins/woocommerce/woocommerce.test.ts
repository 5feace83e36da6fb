/** What can be seen of the plug-in without WordPress. The rest is in `server/testing/platforms/woocommerce`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { zipPlugin } from './pack.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const CLIENT = fileURLToPath(new URL('../../clients/php/Kassa.php', import.meta.url))
const SOURCES = ['kassa.php', 'uninstall.php', ...readdirSync(join(HERE, 'src')).map((name) => `src/${name}`)]
const read = (name: string) => readFileSync(join(HERE, name), 'utf8')
const hasPhp = spawnSync('php', ['--version']).status === 0

/** The texts of the calls of `__` and its relatives. */
const TEXTS = new Set(
  SOURCES.flatMap((name) =>
    [...read(name).matchAll(/(?:\b__|_e|esc_html__|esc_html_e)\('((?:[^'\\]|\\.)*)', 'kassa'\)/g)].map(
      ([, text = '']) => text,
    ),
  ),
)
const placesOf = (text: string) => (text.match(/%(?:\d\$)?[sd]/g) ?? []).sort()

test.each(['hy', 'ru'])('every text is translated into %s, with the same places to fill', (language) => {
  const translated: Record<string, string> = JSON.parse(read(`languages/${language}.json`))
  expect(Object.keys(translated).sort()).toEqual([...TEXTS].sort())
  const wrong = Object.entries(translated).filter(
    ([text, to]) => JSON.stringify(placesOf(text)) !== JSON.stringify(placesOf(to)),
  )
  expect(wrong).toEqual([])
})

test('the archive has the client and nothing that only tests need', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kassa-plugin-'))
  try {
    const files = unzipSync(readFileSync(zipPlugin(folder)))
    const names = Object.keys(files)
    expect(names.filter((name) => !name.startsWith('kassa/'))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(SOURCES.map((name) => `kassa/${name}`)))
    expect(names).not.toContain('kassa/offline.php')
    expect(Buffer.from(files['kassa/client/Kassa.php'] ?? []).toString()).toBe(readFileSync(CLIENT, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('its version is that of the project', () => {
  const { version } = JSON.parse(readFileSync(join(HERE, '../../../package.json'), 'utf8'))
  const written = [...read('kassa.php').matchAll(/Version: ([\d.]+)|VERSION = '([\d.]+)'/g)].map(
    ([, one, other]) => one ?? other,
  )
  expect(written).toEqual([version, version])
})

/** What PHP 8 has added: the plug-in and the client promise 7.4. */
const NEWER =
  /\?->|\bmatch\s*\(|\bstr_(?:contains|starts_with|ends_with)\(|\barray_is_list\(|\benum [A-Z]|\breadonly\b|#\[(?!\\ReturnTypeWillChange\]$)|\b(?:private|public|protected) [\w?\\]+ \$\w+[,)]|catch \([\w|\\ ]+\)\s*\{|: (?:static|mixed|never)\b|\w+\|\w+ \$|\): \w+\|\w+/m

test.each([...SOURCES.map((name) => join(HERE, name)), CLIENT])(
  '%s has nothing that PHP 7.4 does not know',
  (file) => {
    const code = readFileSync(file, 'utf8').replaceAll(
      /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g,
      '',
    )
    expect(code.match(NEWER)?.[0] ?? null).toBe(null)
  },
)

describe.skipIf(!hasPhp)('with PHP', () => {
  test('every file is valid', () => {
    const parse =
      'foreach (array_slice($argv, 1) as $file) token_get_all(file_get_contents($file), TOKEN_PARSE);'
    const files = SOURCES.map((name) => join(HERE, name))
    expect(() => execFileSync('php', ['-r', parse, '--', ...files], { stdio: 'pipe' })).not.toThrow()
  })

  test.each([
    ['every site of a network', 'true', ['1', '7']],
    ['the only site', 'false', ['here']],
  ])('deleting the plug-in removes its secrets from %s', (_sites, isNetwork, expected) => {
    const wordpress = `const WP_UNINSTALL_PLUGIN = 'kassa';
      function is_multisite() { return ${isNetwork}; }
      function get_sites($asked) { return $asked === ['fields' => 'ids', 'number' => 0] ? [1, 7] : [1]; }
      function delete_option($name) { echo "here $name\\n"; }
      function delete_blog_option($site, $name) { echo "$site $name\\n"; }
      require $argv[1];`
    const file = join(HERE, 'uninstall.php')
    const printed = execFileSync('php', ['-r', wordpress, '--', file], { encoding: 'utf8' })
    const names = ['woocommerce_kassa_settings', 'kassa_event_proof']
    expect(printed.trim().split('\n')).toEqual(
      expected.flatMap((site) => names.map((name) => `${site} ${name}`)),
    )
  })

  /** Calls functions of the plug-in. `decimals`: how many WooCommerce shows. */
  function call(calls: [string, unknown[]][], decimals = 2): { returned?: unknown; refused?: string }[] {
    const printed = execFileSync('php', [join(HERE, 'offline.php'), String(decimals)], {
      input: JSON.stringify(calls),
      encoding: 'utf8',
    })
    return printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  test('amounts are exact, or refused', () => {
    const answers = call([
      ['minorOf', ['19.00000000', 'USD']],
      ['minorOf', ['19.9', 'USD']],
      ['minorOf', ['1900', 'AMD']],
      ['minorOf', ['0.00', 'USD']],
      ['minorOf', ['0.29', 'USD']],
      ['minorOf', [19.99, 'USD']],
      ['majorOf', [50_000, 'AMD']],
    ])
    expect(answers.map(({ returned }) => returned)).toEqual([1900, 1990, 190_000, 0, 29, 1999, '500.00'])
    const refused = call([
      ['minorOf', ['19.005', 'USD']],
      ['minorOf', ['-1.00', 'USD']],
      ['minorOf', ['19,00', 'USD']],
      ['minorOf', ['19', 'XXX']],
    ])
    expect(refused.filter((answer) => answer.refused === undefined)).toEqual([])
  })

  test('more decimals than the currency has do not suit', () => {
    expect(call([['whyUnsuitable', ['USD']]], 3)[0]?.returned).toMatch(/at most %?\d/)
    expect(call([['whyUnsuitable', ['AMD']]], 0)[0]?.returned).toBe(null)
    expect(call([['whyUnsuitable', ['JPY']]], 0)[0]?.returned).toMatch(/JPY/)
  })

  test('settings of a wrong form are refused', () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const right = call([
      ['wrongUrl', ['https://pay.example']],
      ['wrongUrl', ['http://127.0.0.1:3000']],
      ['wrongToken', ['ksk_sandbox_0a1B']],
      ['wrongSecret', [secret]],
      ['wrongSecret', [`${secret} ${secret}`]],
    ])
    expect(right.map(({ returned }) => returned)).toEqual([null, null, null, null, null])
    const wrong = call([
      ['wrongUrl', ['http://pay.example']],
      ['wrongUrl', ['https://pay.example/v1']],
      ['wrongUrl', ['pay.example']],
      ['wrongUrl', ['']],
      ['wrongToken', [secret]],
      ['wrongToken', ['ksk_live_']],
      ['wrongToken', ['Bearer ksk_live_1']],
      ['wrongSecret', ['whsec_short']],
      ['wrongSecret', [secret.slice(6)]],
      ['wrongSecret', [`${secret}\n`]],
      ['wrongSecret', ['']],
    ])
    expect(wrong.filter(({ returned }) => typeof returned !== 'string')).toEqual([])
  })

  test('a buyer who returns is sent to pay again only if nothing was paid and nothing is on its way', () => {
    const unpaid = [
      { status: 'created' },
      { status: 'pending_payment' },
      { status: 'failed' },
      { status: 'expired' },
    ]
    const processing = { status: 'pending_payment', processingSince: '2030-01-01T00:00:00Z' }
    const others = ['authorized', 'paid', 'refunded', 'status_unknown', 'disputed'].map((status) => ({
      status,
    }))
    const results = call([...unpaid, processing, ...others].map((payment) => ['isUnpaid', [payment]]))
    expect(results.map(({ returned }) => returned)).toEqual([
      ...unpaid.map(() => true),
      false,
      ...others.map(() => false),
    ])
  })
})
