/** Signs the checksums with a key of SSH, so that `ssh-keygen -Y verify` checks a release. No service is needed. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKSUMS } from './pack.ts'
import { run } from './run.ts'

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
