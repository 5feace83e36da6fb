<?php

/** A plug-in of the test's site alone: mails are written to a file, and the schedule does not wait for a minute. */

add_filter('pre_wp_mail', function ($sent, array $mail): bool {
    file_put_contents(WP_CONTENT_DIR . '/mails.jsonl', json_encode($mail) . "\n", FILE_APPEND | LOCK_EX);
    return true;
}, 10, 2);
add_filter('kassa_payment', function (array $request): array {
    $fault = get_option('test_fault');
    return $fault ? array_merge_recursive($request, ['metadata' => ['sandboxFault' => $fault]]) : $request;
});
add_filter('kassa_schedule_seconds', fn (): int => 2);
