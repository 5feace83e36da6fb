/** The plug-in for Medusa on a real Medusa. */
import { runScenarios } from '../platforms.suite.ts'
import { CAPTURE_OF_A_PART, CHANGED_AFTER_PAYING, REFUNDS_AT_ONCE } from '../scenarios.ts'
import { MEDUSA } from './driver.ts'

runScenarios(MEDUSA, CHANGED_AFTER_PAYING, CAPTURE_OF_A_PART, REFUNDS_AT_ONCE)
