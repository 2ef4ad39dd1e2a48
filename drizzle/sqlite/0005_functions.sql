CREATE TABLE `functions` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`name` text NOT NULL,
	`case_type_code` text NOT NULL,
	`live_version_id` integer NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `functions_by_name` ON `functions` (`account_code`,`name`,`case_type_code`);--> statement-breakpoint
CREATE TABLE `function_versions` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`function_id` integer NOT NULL,
	`hash` text NOT NULL,
	`source_bytes` integer NOT NULL,
	`comment` text,
	`by_user_id` integer,
	`by_email` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`source_code` text NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `function_versions_by_function` ON `function_versions` (`account_code`,`function_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `function_versions_by_hash` ON `function_versions` (`account_code`,`function_id`,`hash`);