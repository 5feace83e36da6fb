/**
 * `npm run release`: builds an archive for this platform that runs without anything installed. The same commit gives the same
 * bytes, so that anybody can check a published archive.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { listUnproven } from '../testing/long/runs.ts'
import { VERSION } from '../version.ts'
import { pack, removeBuilds } from './pack.ts'
import { signChecksums, writeProvenance } from './provenance.ts'
import { readCommit, run } from './run.ts'
import { listComponents } from './sbom.ts'
import { measure, stage } from './stage.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMMIT_CHARS = 8
/** In MB, unpacked. */
const LIMITS = { withPostgres: 250, withoutPostgres: 190 }

type Options = { out: string; postgres: boolean; uncommitted: boolean; untested: boolean; sign?: string }

const command = new Command('release')
  .description(
    'Build the archive of this platform from the last commit, with checksums and a list of its parts.',
  )
  .option('--out <directory>', 'the directory for the archive', '.release')
  .option('--no-postgres', 'leave out the embedded PostgreSQL, so that the service needs DATABASE_URL')
  .option('--sign <key>', 'sign the checksums with this private key of SSH')
  .option(
    '--uncommitted',
    'include files that are not committed (only for tests, because the archive is not reproducible)',
    false,
  )
  .option('--untested', 'build although long tests have no green run on these files', false)
  .action(release)

async function release({ out, postgres, uncommitted, untested, sign }: Options): Promise<void> {
  const commit = await readCommit(ROOT, uncommitted)
  if (!uncommitted && !untested) requireLongRuns()
  const platform = `${process.platform}-${process.arch}`
  const ending = `${platform}${postgres ? '' : '-without-postgres'}`
  // Two builds of one version have directories of their own, so the new one is never unpacked over the one that runs.
  const build = commit.commit.slice(0, COMMIT_CHARS)
  const name = `kassa-${VERSION}-${build}-${ending}`
  const directory = await mkdtemp(join(tmpdir(), 'kassa-release-'))
  const report = (line: string) => console.error(line)
  try {
    const staged = join(directory, name)
    await stage({ root: ROOT, staged, postgres, build, report })
    report('Listing the parts')
    const components = await listComponents(staged, { name: 'kassa', version: VERSION, ...commit })
    const limit = postgres ? LIMITS.withPostgres : LIMITS.withoutPostgres
    const megabytes = (await measure(staged)) / 1_000_000
    if (megabytes > limit)
      throw new Error(`${name} takes ${megabytes.toFixed(0)} MB unpacked. The limit is ${limit} MB.`)
    report('Packing')
    const target = resolve(ROOT, out)
    await mkdir(target, { recursive: true })
    const earlier = new RegExp(
      `^kassa-${VERSION.replaceAll('.', '\\.')}-[0-9a-f]{${COMMIT_CHARS}}-${ending}\\.`,
    )
    await removeBuilds(target, earlier)
    const npm = (await run('npm', ['--version'], ROOT)).trim()
    const made = { commit: commit.commit, uncommitted, untested, postgres, npm }
    const { files, bytes } = await pack({
      directory,
      name,
      target,
      components,
      at: commit.at,
      stateOrigin: (subject) => writeProvenance(ROOT, subject, made),
    })
    files.push(...(await signChecksums(target, sign && resolve(sign))))
    console.log(`${name}: ${megabytes.toFixed(0)} MB unpacked, ${(bytes / 1_000_000).toFixed(0)} MB packed`)
    for (const file of files) console.log(`  ${join(out, file)}`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** @throws Error naming each part of the long tests that was not green on these files */
function requireLongRuns(): void {
  const unproven = listUnproven()
  if (unproven.length === 0) return
  const names = unproven.map((line) => line.split(':')[0]).join(' ')
  throw new Error(
    `These long tests have no green run on these files. Run them, commit the result and release again, or add --untested:\n${unproven
      .map((line) => `  ${line}`)
      .join('\n')}\nnpm run test:long -- ${names}`,
  )
}

try {
  await command.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
