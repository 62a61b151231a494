// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The section of `penstock help` that lists a command of the first level. Without this annotation a command is
/// listed under "More".
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface HelpSection {
    Name value();

    /// The sections, in the order in which the help shows them.
    enum Name {
        LOOK("Look at data"),
        MAKE("Make datasets"),
        CHANGE("Change datasets"),
        TRAIN("Train"),
        CHECK("Check"),
        MORE("More");

        private final String heading;

        Name(String heading) {
            this.heading = heading;
        }

        public String heading() {
            return heading;
        }

        /// The section of a command.
        public static Name of(Class<?> command) {
            HelpSection section = command.getAnnotation(HelpSection.class);
            return section == null ? MORE : section.value();
        }
    }
}
