/** The plug-in for Medusa on a real Medusa. */
import {
  LATE_AUTHORIZED,
  PART_CAPTURED_BY_CODE,
  PART_CAPTURED_OUTSIDE,
  REFUND_REFUSED_DURING_ANOTHER,
  SLOW_KASSA,
  UNKNOWN_TO_KASSA,
  VOID_AFTER_CAPTURE,
  VOID_WITHOUT_KASSA,
} from '../hard-cases.ts'
import { CAPTURE_OF_A_PART, REFUNDS_AT_ONCE } from '../money-scenarios.ts'
import { runScenarios } from '../platforms.suite.ts'
import { CHANGED_AFTER_PAYING } from '../scenarios.ts'
import { MEDUSA } from './driver.ts'

runScenarios(
  MEDUSA,
  CHANGED_AFTER_PAYING,
  CAPTURE_OF_A_PART,
  REFUNDS_AT_ONCE,
  SLOW_KASSA,
  UNKNOWN_TO_KASSA,
  REFUND_REFUSED_DURING_ANOTHER,
  PART_CAPTURED_OUTSIDE,
  PART_CAPTURED_BY_CODE,
  LATE_AUTHORIZED,
  VOID_AFTER_CAPTURE,
  VOID_WITHOUT_KASSA,
)
