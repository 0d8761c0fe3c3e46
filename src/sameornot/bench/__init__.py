"""The paper's tables, figures and theorems as data: experiments that return rows."""
