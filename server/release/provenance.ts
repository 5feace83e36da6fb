/** What proves where a release comes from: the statement of its provenance, and the signature of its checksums. */
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKSUMS } from './pack.ts'
import { run } from './run.ts'

type Made = { commit: string; uncommitted: boolean; untested: boolean; postgres: boolean; npm: string }

/** `subject`: the SHA-256 of each file that is signed for. */
export async function writeProvenance(
  root: string,
  subject: { name: string; sha256: string }[],
  { commit, uncommitted, untested, postgres, npm }: Made,
): Promise<string> {
  const digestOf = async (path: string) => ({
    sha256: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  })
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subject.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:kassa:npm-run-release:1',
        externalParameters: {
          postgres,
          uncommitted,
          untested,
          platform: `${process.platform}-${process.arch}`,
        },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: await digestOf(join(root, 'package-lock.json')) },
          { name: `node ${process.versions.node}`, digest: await digestOf(process.execPath) },
        ],
      },
      // Only the signature of the release vouches for this statement.
      runDetails: {
        builder: { id: 'urn:kassa:whoever-signs-SHA256SUMS', version: { node: process.versions.node, npm } },
      },
    },
  }
  return `${JSON.stringify(statement, null, 2)}\n`
}

/** The namespace of the signature. A signature for something else, such as a commit, is not valid for a release. */
export const NAMESPACE = 'kassa-release'

/**
 * Returns the name of the signature. `key`: the path of a private key, or of a public one whose private key is in the agent; without
 * it a signature of earlier checksums is removed. @throws Error with the message of ssh-keygen
 */
export async function signChecksums(target: string, key: string | undefined): Promise<string[]> {
  const signature = `${CHECKSUMS}.sig`
  // ssh-keygen overwrites none.
  await rm(join(target, signature), { force: true })
  if (key === undefined) return []
  await run('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', NAMESPACE, CHECKSUMS], target)
  return [signature]
}
