<?php

/** Runs what is due, as cron does with wp-cron.php on a real server. */

require __DIR__ . '/inside.php';
define('DOING_CRON', true);
require "$site/wp-load.php";
ActionScheduler::runner()->run('test');
