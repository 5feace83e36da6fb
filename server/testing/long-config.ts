/** The tests that take minutes: `npm run test:long`. */
import config from '../../vite.config.ts'

export default {
  ...config,
  test: {
    ...config.test,
    projects: undefined,
    include: ['server/**/*.long.ts'],
    // The runner ends a part after 20 minutes, so a test alone needs no other limit.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 120_000 } },
  },
}
